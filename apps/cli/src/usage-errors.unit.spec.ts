import { mace } from './testing/mace.js';

/** What is told of a command line that is not as it is used, as commander itself words it. */

async function said(...args: readonly string[]): Promise<string> {
  return (await linesOf(...args))[0]!;
}

async function linesOf(...args: readonly string[]): Promise<readonly string[]> {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    expect(await mace(...args)).toMatchObject({ code: 64, out: '', err: '' });
    return write.mock.calls
      .map(([line]) => String(line))
      .join('')
      .split('\n');
  } finally {
    write.mockRestore();
  }
}

describe('a command line that is not as it is used', () => {
  it.each<[string, readonly string[], string]>([
    [
      'a value of another form',
      ['jobs', 'list', '--limit', 'Ann 1'],
      "error: option '--limit <n>': A whole number is needed.",
    ],
    [
      'a value that is none of a few',
      ['replay', 'job:1', '--mode', "x' is invalid. y"],
      "error: option '--mode <mode>': Allowed choices are audit, reexecute, production.",
    ],
    [
      'an argument that is none of a few',
      ['completion', 'tc\u001b[2Jsh'],
      "error: argument 'shell': Allowed choices are bash, zsh, fish.",
    ],
    ['a command that could be one', ['projections', 'lst'], "error: unknown command 'lst'"],
    ['a command that could be none', ['536-22-8145'], 'error: unknown command'],
    ['an option that could be one', ['sem', 'list', '--limt', '3'], "error: unknown option '--limt'"],
    ['an option with a value', ['sem', 'list', '--limt=536-22-8145'], 'error: unknown option'],
  ])('is told without its values: %s', async (_, args, told) => {
    expect(await said(...args)).toBe(told);
  });

  it.each<[string, readonly string[], string]>([
    ['a command that lacks an argument', ['ask'], '(mace ask --help shows what it takes)'],
    ['a command of a group', ['dsr', 'lift', 'hold'], '(mace dsr lift --help shows what it takes)'],
    ['a group that lacks the command', ['projections', 'lst'], '(mace projections --help shows the commands)'],
    ['a command that is none', ['tokn'], '(mace --help shows the commands)'],
  ])('is pointed to the help of its own command: %s', async (_, args, pointer) => {
    expect(await linesOf(...args)).toContain(pointer);
  });
});
