import { CriticTallies, MAX_NAMED_CRITICS } from './critic-tallies.js';

const labels = (tally: CriticTallies['votes' | 'absences']): readonly string[] =>
  tally.all().map((one) => `${Object.values(one.labels).join(' ')}: ${one.value}`);

describe('votes and absences of critics', () => {
  it('are told apart by who registered; all others are one', () => {
    const critics = new CriticTallies();
    critics.voted('ann');
    critics.heardOf('ann');
    critics.voted('ann');
    critics.voted('somebody');
    critics.missed('nobody', 'unregistered');
    critics.missed('ben', 'unhealthy');
    critics.missed('ann', 'not_awaited');
    expect(labels(critics.votes)).toEqual(['other: 2', 'ann: 1']);
    expect(labels(critics.absences)).toEqual(['other unregistered: 1', 'ben unhealthy: 1', 'ann not_awaited: 1']);
  });

  it('have a bounded number of label values, whoever registers', () => {
    const critics = new CriticTallies();
    for (let i = 0; i < 2 * MAX_NAMED_CRITICS; i++) {
      critics.heardOf(`c${i}`);
      critics.voted(`c${i}`);
      critics.missed(`c${i}`, 'silent');
    }
    expect(critics.votes.all()).toHaveLength(MAX_NAMED_CRITICS + 1);
    expect(critics.absences.all()).toHaveLength(MAX_NAMED_CRITICS + 1);
    expect(labels(critics.votes).at(-1)).toBe(`other: ${MAX_NAMED_CRITICS}`);
  });
});
