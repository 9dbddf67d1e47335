/* global fromAll, linkTo */
/**
 * One stream of links for each job, mace_by_job-<job id>: what the job wrote into its own stream, and what other streams
 * say of it (memory, modules, replays, amendments, incidents), in the order of the log.
 */
fromAll().when({
  $any(state, event) {
    if (event.eventType.startsWith('$') || event.streamId.startsWith('$')) return;
    for (const job of jobsOf(event.bodyRaw)) linkTo(`mace_by_job-${job}`, event);
  },
});

/** What is no text of ours names no job: one such event must not end the projection for everybody. */
function jobsOf(text) {
  if (typeof text !== 'string' || !text.includes('"job_id":"')) return [];
  try {
    const { data, metadata } = JSON.parse(text);
    const named = [metadata?.job_id, data?.job_id].filter((job) => typeof job === 'string' && job !== '');
    return [...new Set(named)];
  } catch {
    return [];
  }
}
