// The Queues page. It shows what operators want to know first: whether anything is stuck, which workers run,
// and what failed and why. The pages of queue.ts and job.ts show the jobs.
import type pg from 'pg'
import type { Message } from '../../../../shared/messages/message.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import {
  column,
  instantColumn,
  numberColumn,
  type RowOf,
  selectRows,
  textColumn,
} from '../../../reads/rows/rows.ts'
import { formatMessage, sentence, sentences, t, tHtml, toWords, translate } from '../../locales/translate.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { formatDuration, showInstant, showRelativeInstant } from '../../pages/time/instants.ts'
import {
  type Column,
  formatNumber,
  showCard,
  showFactList,
  showLink,
  showLinkOrText,
  showTable,
} from '../../pages/ui/parts.ts'
import { showEmptyState, showNotice } from '../../pages/ui/states.ts'
import { type FailureRow, findHealth, type QueueRow, type WorkerRow } from './health.ts'

const JOB_COLUMNS = {
  id: textColumn('id'),
  name: textColumn('name'),
  state: column<'queued' | 'running'>('state'),
  progress: numberColumn('progress'),
  createdAt: instantColumn('created_at'),
}
type AcceptedJob = RowOf<typeof JOB_COLUMNS>

sentences`queued, running`

const LISTED_JOBS_MAX = 20

export const listAcceptedJobs = (reads: pg.Pool): Promise<AcceptedJob[]> =>
  selectRows(
    reads,
    JOB_COLUMNS,
    `jobs WHERE finished_at IS NULL ORDER BY created_at LIMIT ${LISTED_JOBS_MAX}`,
  )

export function showAcceptedJobs(jobs: AcceptedJob[], zone: string, empty: Content): Html {
  const columns: Column<AcceptedJob>[] = [
    { label: t`Job`, show: formatJob },
    {
      label: t`Status`,
      show: ({ state }) =>
        html`<span class="badge ${state === 'running' ? 'accent' : ''}">${translate(toWords(state))}</span>`,
    },
    {
      label: t`Progress`,
      show: ({ progress }) =>
        html`<progress max="100" value="${progress}" aria-label="${t`Progress`}">${progress} %</progress> ${progress} %`,
    },
    { label: t`Accepted`, show: ({ createdAt }) => showInstant(createdAt, zone) },
    { label: t`ID`, show: ({ id }) => html`<code>${id}</code>` },
  ]
  return showTable(t`In progress`, columns, jobs, empty)
}

function formatJob({ name }: AcceptedJob): string {
  if (name === 'bookings.release-all') return t`Release of bookings`
  if (!name.includes('import')) return t`Export of people`
  return name.startsWith('bookables.') ? t`Import of desks, rooms and parking` : t`Import of people`
}

export const queueHealthPage = definePage({
  path: '/queue-health',
  title: sentence`Queues`,
  section: 'Queues',
  live: { health: { everySeconds: 3, show: showHealth } },
  async show(call) {
    return {
      lead: t`Every change goes through a queue. This page updates automatically.`,
      content: await call.live('health'),
      showsSystemStatus: true,
    }
  },
})

async function showHealth(call: Call): Promise<Html> {
  const [{ queues, ready, findings }, accepted, zone] = await Promise.all([
    findHealth(call.services),
    listAcceptedJobs(call.reads),
    findCommonZone(call.reads),
  ])
  const [worst, ...others] = findings
  const workers = queues?.flatMap((queue) => queue.workers) ?? []
  const failures = queues?.flatMap((queue) => queue.failures).sort((a, b) => b.lastMs - a.lastMs) ?? []
  const services = [
    ['Redis', showCheck(ready.redis, t`up`)],
    ['Postgres', showCheck(ready.postgres, t`up`)],
    [t`Migrations`, showCheck(ready.migrations, t`up to date`)],
    [t`E-mail`, showMailSettings(call)],
  ] as const
  return html`${
    worst &&
    showNotice(
      worst.tone,
      html`<strong>${worst.sentence}</strong>`,
      others.map(({ sentence }) => html`<p>${sentence}</p>`),
    )
  }
${queues && showCard(t`Queues`, showTable(t`Queues`, createQueueColumns(call), queues, null))}
${showCard(t`Imports, exports and releases`, showAcceptedJobs(accepted, zone, html`<p>${t`None in progress.`}</p>`))}
${queues && showCard(t`Failures`, showTable(t`Failures`, createFailureColumns(call), failures, showNoFailures()))}
${queues && showCard(t`Workers`, showTable(t`Workers`, createWorkerColumns(call), workers, showNoWorkers()))}
${showCard(t`Services`, showFactList(services))}`
}

const showMailSettings = ({ services }: Call): Html =>
  services.config.mail
    ? html`<span class="badge good">${t`set up`}</span> <span class="soft">${t`from ${services.config.mail.from}`}</span>`
    : html`<span class="badge">${t`not set up`}</span> <span class="soft">${tHtml`To send e-mail, set ${html`<code>SMTP_URL</code>`}, ${html`<code>MAIL_FROM</code>`} and ${html`<code>PUBLIC_URL</code>`}.`}</span>`

const showNoFailures = () =>
  html`<p>${t`No failed jobs. Removed and successfully retried jobs are not listed.`}</p>`
const showNoWorkers = () =>
  showEmptyState(
    t`No workers connected.`,
    tHtml`Start one: ${html`<code>node dist/workers/main.js</code>`}, with the same REDIS_URL.`,
  )

function showCheck({ ok, detail }: { ok: boolean; detail?: Message }, good: string): Html {
  return ok
    ? html`<span class="badge good">${good}</span>`
    : html`<span class="badge bad">${t`down`}</span> ${detail && formatMessage(detail)}`
}

function createQueueColumns(call: Call): Column<QueueRow>[] {
  const number = (label: string, of: (row: QueueRow) => number): Column<QueueRow> => ({
    label,
    isNumber: true,
    show: (row) => formatNumber(of(row)),
  })
  return [
    {
      label: t`Queue`,
      show: ({ name, isPaused }) =>
        html`${showLinkOrText(call.link(`/queues/${name}`), name)}${isPaused && html` <span class="badge bad">${t`paused`}</span>`}`,
    },
    number(t`Waiting`, ({ counts }) => counts.waiting),
    {
      label: t`Oldest waiting job`,
      isNumber: true,
      show: ({ counts, oldestWaitMs }) => (counts.waiting > 0 ? formatDuration(oldestWaitMs) : '–'),
    },
    {
      label: t`Typical wait`,
      isNumber: true,
      show: ({ medianWaitMs }) => (medianWaitMs === undefined ? '–' : formatDuration(medianWaitMs)),
    },
    number(t`Running`, ({ counts }) => counts.active),
    number(t`Done in the last hour`, ({ lastHour }) => lastHour.completed),
    number(t`Failed in the last hour`, ({ lastHour }) => lastHour.failed),
    number(t`Workers`, ({ workers }) => workers.length),
  ]
}

function createFailureColumns(call: Call): Column<FailureRow>[] {
  return [
    { label: t`Job`, show: ({ job }) => formatMessage({ text: job }) },
    { label: t`Reason`, show: ({ reason }) => formatMessage(reason) },
    { label: t`Source`, show: ({ source }) => source && html`<code>${source}</code>` },
    { label: t`Number`, isNumber: true, show: ({ number }) => number },
    {
      label: t`Last seen`,
      show: ({ lastMs }) => showRelativeInstant(new Date(lastMs).toISOString(), call.now),
    },
    {
      label: t`Actions`,
      isTools: true,
      show: ({ queue, id, job }) =>
        showLink(call.link(`/queues/${queue}/jobs/${encodeURIComponent(id)}`), t`View`, {
          'aria-label': t`View the failed ${formatMessage({ text: job })}`,
        }),
    },
  ]
}

function createWorkerColumns(call: Call): Column<WorkerRow>[] {
  const since = (row: WorkerRow) =>
    new Date(new Date(call.now).getTime() - row.connectedSeconds * 1000).toISOString()
  return [
    { label: t`Worker`, show: ({ name }) => name },
    { label: t`Queue`, show: ({ queue }) => queue },
    { label: t`Address`, show: ({ address }) => html`<code>${address}</code>` },
    { label: t`Connected`, show: (row) => showRelativeInstant(since(row), call.now) },
  ]
}
