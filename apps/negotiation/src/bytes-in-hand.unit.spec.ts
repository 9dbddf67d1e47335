import { BytesInHand } from './bytes-in-hand.js';

test('one caller takes no more than the share of one, all of them no more than there is, and what is given back is free', () => {
  const hand = new BytesInHand({ inAll: 10, each: 6 }, 'messages');
  hand.take('ann', 6);
  expect(() => hand.take('ann', 1)).toThrow('messages: at most 6 bytes at once of one caller; again in 1 s');
  hand.take('ben', 4);
  expect(() => hand.take('cem', 1)).toThrow('messages: at most 10 bytes at once in all');
  hand.give('ann', 6);
  hand.take('cem', 6);
  hand.give('cem', 6);
  hand.give('ben', 4);
  hand.take('ann', 6);
});
