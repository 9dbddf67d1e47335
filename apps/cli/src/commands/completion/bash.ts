import type { Place } from './words.js';

/** Works with bash 3.2 and later; file names are completed where a command names no words. */
export function bash(places: readonly Place[]): string {
  return `# bash completion of mace; made by \`mace completion bash\`
_mace_words() {
  case "$1" in
${places.map(wordsCase).join('\n')}
  esac
}
_mace_is_command() {
  case "$1" in
${places.flatMap(commandCase).join('\n')}
  esac
  return 1
}
_mace_takes_value() {
  case "$1" in
    ${valued(places)}) return 0;;
  esac
  return 1
}
_mace_values() {
  case "$1" in
${places.flatMap(valueCases).join('\n')}
  esac
}
_mace_is_list() {
  case "$1" in
${places.flatMap(listCases).join('\n')}
  esac
  return 1
}
_mace() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place="" word="" before="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ "$before" == -* ]] && _mace_takes_value "$before"; then before=""; continue; fi
    before="$word"
    [[ "$word" == -* ]] && continue
    if _mace_is_command "\${place:+$place }$word"; then place="\${place:+$place }$word"; fi
  done
  if [[ "$before" == -* ]] && _mace_takes_value "$before"; then
    local said=""
    if [[ "$current" == *,* ]] && _mace_is_list "$place $before"; then said="\${current%,*},"; fi
    COMPREPLY=($(compgen -P "$said" -W "$(_mace_values "$place $before")" -- "\${current#"$said"}"))
    return
  fi
  COMPREPLY=($(compgen -W "$(_mace_words "$place")" -- "$current"))
}
complete -o default -F _mace mace
`;
}

function wordsCase({ path, commands, values, flags }: Place): string {
  const words = [...commands.map(({ text }) => text), ...values, ...flags.map(({ text }) => text)];
  return `    '${path}') echo '${words.join(' ')}';;`;
}

function commandCase({ path }: Place): readonly string[] {
  return path === '' ? [] : [`    '${path}') return 0;;`];
}

function valued(places: readonly Place[]): string {
  const flags = places.flatMap((place) => place.flags).filter(({ takesValue }) => takesValue);
  return [...new Set(flags.map(({ text }) => text))].join('|');
}

function listCases({ path, flags }: Place): readonly string[] {
  return flags
    .filter(({ isList, values }) => isList && values.length > 0)
    .map(({ text }) => `    '${path} ${text}') return 0;;`);
}

function valueCases({ path, flags }: Place): readonly string[] {
  return flags
    .filter(({ values }) => values.length > 0)
    .map(({ text, values }) => `    '${path} ${text}') echo '${values.join(' ')}';;`);
}
