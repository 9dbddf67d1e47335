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
    ['remember my flight to Paris is at 5', 'my flight to Paris', 'at 5'],
    ['remember my job as a nurse is boring', 'my job as a nurse', 'boring'],
    ['remember that my allergy to nuts is severe', 'my allergy to nuts', 'severe'],
    ['record that my flight to Paris is at 5', 'my flight to Paris', 'at 5'],
    ['set my birthday to 5 May 1990', 'my birthday', '5 May 1990'],
    ['store my shoe size as 42', 'my shoe size', '42'],
    ['save my goal = win', 'my goal', 'win'],
    ['note: my car is red', 'my car', 'red'],
    ['remember my drink is tea, please', 'my drink', 'tea'],
    ['remember my drink is tea please.', 'my drink', 'tea'],
    ['remember my favorite word is please', 'my favorite word', 'please'],
    ['remember my motto is always say please', 'my motto', 'always say please'],
    ['remember my favorite foods are bread and butter', 'my favorite foods', 'bread and butter'],
    ['remember my family is Ann and my brother', 'my family', 'Ann and my brother'],
    ['remember my favorite movie is Me, Myself and I', 'my favorite movie', 'Me, Myself and I'],
    ['remember my favorite song is Who Are You?', 'my favorite song', 'Who Are You?'],
    ['remember my address is 5 St. Mary Road, Leeds', 'my address', '5 St. Mary Road, Leeds'],
    ['remember my alarm is at 7', 'my alarm', 'at 7'],
    ['remember my car key is in the drawer', 'my car key', 'in the drawer'],
  ])('%j is about %j and says %j', (text, about, value) => {
    expect(parseRemember(text)).toEqual({ kind: 'fact', about, value });
  });

  it.each([
    'Do you remember that my birthday is 5 May?',
    'I forget that my birthday is 5 May',
    'You want me to remember that my birthday is 5 May',
    'Can you remember that my birthday is ?',
    'Remember that her birthday is 5 May',
    'remember my flight to Paris',
    'remember my promise to Ann',
    'remember my shirt that is red is old',
    'remember my cat and my dog are friends',
    'set my flight to Paris to 5',
    'save my job as a nurse as boring',
    'set my flight to Paris is at 5',
  ])('%j says nothing that can be read in one way only', (text) => {
    expect(parseRemember(text)).toEqual({ kind: 'no_fact' });
  });

  it.each([
    'remember my name is Ana and my age is 30',
    'remember my name is Ana and age is 30',
    'remember my name is Ana, my age is 30',
    'remember my favorite color is blue and what is 2+2',
    'remember my favorite color is blue. What is 2+2?',
    'remember my favorite color is blue and tell me a joke',
    'remember my favorite color is blue, and also remember that my cat is Tom',
    'remember my drink is tea and I like cake',
    'remember my name is Ana\nmy age is 30',
  ])('%j says several things, of which none is taken', (text) => {
    expect(['several', 'doubt']).toContain(parseRemember(text).kind);
  });

  it.each(['remember my favorite color is blue?', 'remember my name is what?', 'remember that my name is what'])(
    '%j is a question',
    (text) => {
      expect(parseRemember(text)).toEqual({ kind: 'doubt' });
    },
  );

  it.each(['set my alarm to 7:30', 'set my volume to 11', 'Can you set my bedroom lights to blue?'])(
    '%j is for a device, and stores nothing',
    (text) => {
      expect(parseRemember(text)).toEqual({ kind: 'device' });
    },
  );

  it.each([
    'remember that my password is hunter2',
    'remember that my PIN is 1234',
    "remember my wife's PIN is 1234",
    'remember my Netflix password is hunter2',
    'save my API key as abc',
    'set my bank PIN code to 1234',
    'store my wi-fi password = hunter2',
    'remember my OpenAI token is abc',
    'remember my Passwort is geheim',
    'remember my card security code is 123',
    'remember my seed phrase is apple pear',
    'remember my bank is Alpha, password hunter2',
    'remember my password to the bank is hunter2 and my name is Ana',
  ])('%j is a credential, and is not taken', (text) => {
    expect(parseRemember(text)).toEqual({ kind: 'credential' });
  });

  it('is read in time that grows with the text', () => {
    for (const piece of ['my a ', ', my b ', ' and i', 'is ', '. what ', 'to as ']) {
      const text = `remember my x is ${piece.repeat(400)}`.slice(0, 2000);
      expect(['fact', 'several', 'doubt', 'no_fact']).toContain(parseRemember(text).kind);
    }
  });
});
