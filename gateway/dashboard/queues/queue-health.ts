// Queues: what an operator asks first. Is anything stuck, who works, what failed and why; the queue board has the jobs.

import { type Html, html } from '../../http/html.ts'
import { type Call, page } from '../framework/page.ts'
import { formatDuration } from '../time/durations.ts'
import { showInstant, showRelativeInstant } from '../time/instants.ts'
import { card } from '../ui/cards.ts'
import { showFacts } from '../ui/facts.ts'
import { type Column, table } from '../ui/tables.ts'
import { formatNumber } from '../ui/words.ts'
import { type AcceptedRow, listAcceptedJobs } from './accepted-jobs.ts'
import { findHealth } from './health.ts'
import type { FailureRow, QueueRow, WorkerRow } from './queries.ts'

export const queueHealth = page({
  path: '/queue-health',
  title: 'Queues',
  section: 'Queues',
  live: { health: { everySeconds: 3, show: showHealth } },
  async show(call) {
    return {
      lead: 'Every change goes through a queue. This page updates itself.',
      tools: html`<a class="button quiet" href="${call.link('/queues')}">Queue board</a>`,
      content: await call.live('health'),
      showsSystemStatus: true,
    }
  },
})

async function showHealth(call: Call): Promise<Html> {
  const [{ queues, ready, findings }, accepted] = await Promise.all([
    findHealth(call.services),
    listAcceptedJobs(call.reads),
  ])
  const [worst, ...others] = findings
  const workers = queues?.flatMap((queue) => queue.workers) ?? []
  const failures = queues?.flatMap((queue) => queue.failures).sort((a, b) => b.lastMs - a.lastMs) ?? []
  const services = [
    ['Redis', showCheck(ready.redis, 'up')],
    ['Postgres', showCheck(ready.postgres, 'up')],
    ['Migrations', showCheck(ready.migrations, 'up to date')],
  ] as const
  return html`<div class="notice ${worst?.tone}" role="status"><p><strong>${worst?.sentence}</strong></p>
${others.map(({ sentence }) => html`<p>${sentence}</p>`)}</div>
${queues && card('Queues', table('Queues', queueColumns(call), queues, null))}
${card('Imports and exports', table('In progress', acceptedColumns(), accepted, noneAccepted))}
${queues && card('Failures', table('Failures', failureColumns(call), failures, noFailures))}
${queues && card('Workers', table('Workers', workerColumns(call), workers, noWorkers))}
${card('Services', showFacts(services))}`
}

const noneAccepted = html`<p>None in progress.</p>`
const noFailures = html`<p>No failed jobs. Those that were removed, or retried and done, are no longer listed.</p>`
const noWorkers = html`<p><strong>No workers connected.</strong></p>
<p>Start one: <code>node dist/workers/main.js</code>, with the same REDIS_URL.</p>`

function showCheck({ ok, detail }: { ok: boolean; detail?: string }, good: string): Html {
  return ok
    ? html`<span class="badge good">${good}</span>`
    : html`<span class="badge bad">down</span> ${detail}`
}

function queueColumns(call: Call): Column<QueueRow>[] {
  const number = (label: string, of: (row: QueueRow) => number): Column<QueueRow> => ({
    label,
    isNumber: true,
    show: (row) => formatNumber(of(row)),
  })
  return [
    {
      label: 'Queue',
      isHead: true,
      show: ({ name, isPaused }) =>
        html`<a href="${call.link(`/queues/queue/${name}`)}">${name}</a>${isPaused && html` <span class="badge bad">paused</span>`}`,
    },
    number('Waiting', ({ counts }) => counts.waiting),
    {
      label: 'Oldest waiting',
      isNumber: true,
      show: ({ counts, oldestWaitMs }) => (counts.waiting > 0 ? formatDuration(oldestWaitMs) : '–'),
    },
    {
      label: 'Typical wait',
      isNumber: true,
      show: ({ medianWaitMs }) => (medianWaitMs === undefined ? '–' : formatDuration(medianWaitMs)),
    },
    number('Running', ({ counts }) => counts.active),
    number('Done in the last hour', ({ lastHour }) => lastHour.completed),
    number('Failed in the last hour', ({ lastHour }) => lastHour.failed),
    number('Workers', ({ workers }) => workers.length),
  ]
}

function failureColumns(call: Call): Column<FailureRow>[] {
  return [
    { label: 'Job', isHead: true, show: ({ job }) => job },
    { label: 'Reason', show: ({ reason }) => reason },
    { label: 'Source', show: ({ source }) => source && html`<code>${source}</code>` },
    { label: 'Count', isNumber: true, show: ({ number }) => number },
    {
      label: 'Last seen',
      show: ({ lastMs }) => showRelativeInstant(new Date(lastMs).toISOString(), call.now),
    },
    {
      label: 'Actions',
      isTools: true,
      show: ({ queue, id, job }) =>
        html`<a href="${call.link(`/queues/queue/${queue}/${encodeURIComponent(id)}`)}" aria-label="View the failed ${job}">View</a>`,
    },
  ]
}

function workerColumns(call: Call): Column<WorkerRow>[] {
  const since = (row: WorkerRow) =>
    new Date(new Date(call.now).getTime() - row.connectedSeconds * 1000).toISOString()
  return [
    { label: 'Worker', isHead: true, show: ({ name }) => name },
    { label: 'Queue', show: ({ queue }) => queue },
    { label: 'Address', show: ({ address }) => html`<code>${address}</code>` },
    { label: 'Connected', show: (row) => showRelativeInstant(since(row), call.now) },
  ]
}

export function acceptedColumns(): Column<AcceptedRow>[] {
  return [
    {
      label: 'Job',
      isHead: true,
      show: ({ name }) => (name.includes('import') ? 'Import of people' : 'Export of people'),
    },
    {
      label: 'Status',
      show: ({ state }) => html`<span class="badge ${state === 'running' ? 'accent' : ''}">${state}</span>`,
    },
    {
      label: 'Progress',
      show: ({ progress }) =>
        html`<progress max="100" value="${progress}" aria-label="Progress">${progress} %</progress> ${progress} %`,
    },
    { label: 'Accepted', show: ({ createdAt }) => showInstant(createdAt) },
    { label: 'ID', show: ({ id }) => html`<code>${id}</code>` },
  ]
}
