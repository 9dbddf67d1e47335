import { parseRemember } from './remember.js';

describe('a wish to have something remembered', () => {
  it.each([
    ['Remember that my favorite color is blue', 'my favorite color', 'blue'],
    ['Can you remember that my birthday is 5 May?', 'my birthday', '5 May'],
    ['Could you please save my address as 5 Main Street?', 'my address', '5 Main Street'],
    ['Would you please save that my birthday is 5 May?', 'my birthday', '5 May'],
    ['I want you to remember that my birthday is 5 May.', 'my birthday', '5 May'],
    ['I’d like you to remember that my birthday is 5 May', 'my birthday', '5 May'],
    ["Don't forget that my sister is Ann!", 'my sister', 'Ann'],
    ['Don’t forget that my sister is Ann', 'my sister', 'Ann'],
    ['Please do not forget that my sister is Ann', 'my sister', 'Ann'],
    ["remember my dog's name is Rex", "my dog's name", 'Rex'],
    ['Remember that my motto is why not?', 'my motto', 'why not?'],
  ])('%j is about %j and says %j', (text, about, value) => {
    expect(parseRemember(text)).toEqual({ about, value });
  });

  it.each([
    'Do you remember that my birthday is 5 May?',
    'I forget that my birthday is 5 May',
    'You want me to remember that my birthday is 5 May',
    'Can you remember that my birthday is ?',
    'Remember that her birthday is 5 May',
  ])('%j is none', (text) => {
    expect(parseRemember(text)).toBeNull();
  });
});
