import type { Flag, Place } from './words.js';

/** For `~/.config/fish/completions/mace.fish`. */
export function fish(places: readonly Place[]): string {
  return `# fish completion of mace; made by \`mace completion fish\`
function __mace_place
  set -l place
  set -l before ''
  for word in (commandline -opc)[2..-1]
    if contains -- $before ${valued(places).join(' ')}
      set before ''
      continue
    end
    set before $word
    string match -q -- '-*' $word; and continue
    set -l longer (string join ' ' $place $word)
    contains -- $longer ${places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join(' ')}; and set -a place $word
  end
  string join ' ' $place
end
function __mace_at
  test (__mace_place | string collect -a) = "$argv[1]"
end
${places.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, values, flags }: Place): readonly string[] {
  const at = `complete -c mace -n "__mace_at '${path}'"`;
  return [
    ...commands.map(({ text, about }) => `${at} -f -a '${text}' -d '${about}'`),
    ...(values.length > 0 ? [`${at} -f -a '${values.join(' ')}'`] : []),
    ...flags.map((flag) => `${at} ${flagOf(flag)}`),
  ];
}

function flagOf({ text, about, takesValue, values, isList }: Flag): string {
  const name = text.startsWith('--') ? `-l ${text.slice(2)}` : `-s ${text.slice(1)}`;
  const words = isList ? `(__fish_append , ${values.join(' ')})` : values.join(' ');
  const value = values.length > 0 ? ` -x -a '${words}'` : takesValue ? ' -r' : '';
  return `${name}${value} -d '${about}'`;
}

function valued(places: readonly Place[]): readonly string[] {
  const flags = places.flatMap((place) => place.flags).filter(({ takesValue }) => takesValue);
  return [...new Set(flags.map(({ text }) => text))];
}
