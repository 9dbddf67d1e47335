import type { Flag, Place, Word } from './words.js';

/** For a folder of \`fpath\`, as \`_mace\`, or for \`source\`. */
export function zsh(places: readonly Place[]): string {
  return `#compdef mace
# zsh completion of mace; made by \`mace completion zsh\`
_mace() {
  local place="" word="" before="" i
  local -a entries
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    case "$before" in ${valued(places)}) before=""; continue;; esac
    before="$word"
    [[ "$word" == -* ]] && continue
    case "\${place:+$place }$word" in ${paths(places)}) place="\${place:+$place }$word";; esac
  done
  case "$place $before" in
${places.flatMap(valueCases).join('\n')}
  esac
  case "$before" in ${valued(places)}) _files; return;; esac
  case "$place" in
${places.map(placeCase).join('\n')}
  esac
  _describe -t words 'mace' entries
  [[ "$PREFIX" == -* ]] || _files
}
if [[ "$funcstack[1]" == _mace ]]; then _mace "$@"; else compdef _mace mace; fi
`;
}

function placeCase({ path, commands, values, flags }: Place): string {
  const words: readonly Word[] = [...commands, ...values.map((text) => ({ text, about: '' })), ...flags];
  return `    '${path}') entries=(${words.map(entry).join(' ')});;`;
}

function entry({ text, about }: Word): string {
  return `'${text}${about === '' ? '' : `:${about}`}'`;
}

function valueCases({ path, flags }: Place): readonly string[] {
  return flags
    .filter(({ values }) => values.length > 0)
    .map(({ text, values, isList }) => {
      const list = isList ? 'compset -P "*,"; ' : '';
      return `    '${path} ${text}') ${list}compadd -- ${values.join(' ')}; return;;`;
    });
}

function valued(places: readonly Place[]): string {
  const flags: readonly Flag[] = places.flatMap((place) => place.flags).filter(({ takesValue }) => takesValue);
  return [...new Set(flags.map(({ text }) => text))].join('|');
}

function paths(places: readonly Place[]): string {
  return places
    .filter(({ path }) => path !== '')
    .map(({ path }) => `'${path}'`)
    .join('|');
}
