/* global fromAll, linkTo */
/**
 * One stream of links for each person, mace_by_user-<user id>: the events that name the person as their user, and those
 * that hold something sealed with one of the person's data keys. Nothing is opened: ids and key ids stand in plain.
 */
fromAll().when({
  $any(state, event) {
    if (event.eventType.startsWith('$') || event.streamId.startsWith('$')) return;
    for (const person of peopleOf(event.bodyRaw)) linkTo(`mace_by_user-${person}`, event);
  },
});

function peopleOf(text) {
  const people = new Set();
  if (typeof text !== 'string') return people;
  const user = userOf(text);
  if (user !== null) people.add(user);
  // A key id is SUBJECT.GENERATION.RANDOM, and a subject may hold dots. In a value the quotes would be escaped.
  const sealed = /"\$enc":\{"ct":"[^"]*","kid":"([^"]+)\.[^".]+\.[^".]+"/g;
  for (let match = sealed.exec(text); match !== null; match = sealed.exec(text)) people.add(match[1]);
  return people;
}

/** What is no text of ours names nobody: one such event must not end the projection for everybody. */
function userOf(text) {
  if (!text.includes('"user_id":"')) return null;
  try {
    const { data } = JSON.parse(text);
    return typeof data?.user_id === 'string' && data.user_id !== '' ? data.user_id : null;
  } catch {
    return null;
  }
}
