import { type Relation, relationOf } from './relation.js';

describe('how an answer stands to its question', () => {
  it.each<[string, string, Relation]>([
    ['What is the capital of France?', 'Paris is the capital of France.', 'shared'],
    ["What's the boiling point of water?", 'It boils at 100 degrees.', 'shared'],
    ['What is the boiling point of lead?', 'Lead boils at 1749 degrees.', 'shared'],
    ['How many moons does Mars have?', 'There are two moons.', 'shared'],
    ['Was Rome built in a day?', 'Rome was not.', 'shared'],
    ['Wer war Goethe?', 'Ein Dichter aus Frankfurt war er.', 'open'],
    ['What is the capital of France?', 'Paris.', 'open'],
    ['Who wrote 1984?', 'George Orwell, in 1949.', 'open'],
    ['Who discovered radium?', 'She was born in Warsaw and worked in Paris.', 'open'],
    ['What is the meaning of it?', 'I do not know anything of that kind.', 'open'],
    ['What should I cook tonight?', 'Try roasting vegetables with herbs and rice.', 'open'],
    ['How do I tie a knot?', 'Cross both ends and pull them tight.', 'open'],
    ['Write a poem about rain', 'Grey threads are falling on a silent street.', 'open'],
    ['Plan my week', 'Monday is for swimming and Tuesday is for chess.', 'open'],
    ['What is it?', 'Bananas are yellow.', 'open'],
    ['', 'Bananas are yellow.', 'open'],
    ['What is the capital of France?', '', 'open'],
    ['What is the capital of France?', 'Bananas are yellow.', 'none'],
    ['What is 2 + 2?', 'Bananas are yellow.', 'none'],
    ['Who wrote 1984?', 'Most elephants live in Africa and some in Asia.', 'none'],
    ['How tall is Everest?', 'Bananas are yellow.', 'none'],
  ])('%s %s: %s', (question, answer, relation) => {
    expect(relationOf(question, answer)).toBe(relation);
  });

  it('takes no longer than a look at each word', () => {
    const long = 'banana '.repeat(100_000);
    expect(relationOf(`What is ${long}`, long)).toBe('shared');
    expect(relationOf('What is copper?', `${long} are yellow`)).toBe('none');
  });
});
