// The pages of a queue: its jobs by state, and pausing, resuming, retrying and removing. These act on Redis at once; the log
// names the administrator. What a retry may do: docs/decisions/0013-the-queue-board.md.
import type { Job, JobType, Queue } from 'bullmq'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, required } from '../../../../shared/schemas/fields.ts'
import { QUEUES, type QueueName } from '../../../../shared/schemas/job.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { formatMessage, type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import { type Breadcrumbs, type Call, noFields, page } from '../../pages/page/page.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { formPage } from '../../pages/ui/declared-pages.ts'
import { oneOf } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { pagedTable, pageNumber } from '../../pages/ui/paging.ts'
import { type Column, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { tabs } from '../../pages/ui/tabs.ts'
import { maskJob, reasonOf } from './masks.ts'

const ROWS_PER_PAGE = 50
const PAGES_MAX = 200
const EVERY_SECONDS = 5
const REMOVED_MAX = 10_000

/** The BullMQ states that pages show. */
export const STATES = {
  failed: { label: sentence`Failed`, types: ['failed'] },
  running: { label: sentence`Running`, types: ['active'] },
  waiting: { label: sentence`Waiting`, types: ['waiting', 'prioritized'] },
  scheduled: { label: sentence`Scheduled`, types: ['delayed'] },
  done: { label: sentence`Done`, types: ['completed'] },
} satisfies Record<string, { label: Sentence; types: JobType[] }>
type StateName = keyof typeof STATES
const STATE_NAMES = Object.keys(STATES) as StateName[]

const params = object({ queue: required(oneOf(QUEUES)) })
type Named = { queue: QueueName }
const missing = message`There is no such queue.`

export function openQueue({ services }: Call, name: QueueName): Queue {
  if (services.queues.isUp()) return services.queues.queue(name)
  const down = message`Redis is not responding. The queues cannot be shown until it is back.`
  throw new Refusal('unavailable', down)
}

export function logChange(call: Call, about: { queue: QueueName; job?: string; action: string }) {
  const { requestId, services } = call
  services.log.info({ adminId: call.requireAdmin().id, requestId, ...about }, 'changed a queue')
}

/** Writes cannot be retried: a caller waited for each, and got the answer that it failed. */
export const mayRetry = (queue: QueueName): boolean => queue !== 'writes'

export const queueBreadcrumbs = (queue: QueueName): Breadcrumbs => [
  [t`Queues`, '/queue-health'],
  [queue, `/queues/${queue}`],
]

const query = object({ state: oneOf(STATE_NAMES), page: pageNumber(PAGES_MAX) })
type QueueCall = Call<Named, typeof query.__outputType>

export const queuePage = page({
  path: '/queues/{queue}',
  title: sentence`Queue`,
  section: 'Queues',
  params,
  query,
  missing,
  actions: (action) => ({
    resume: action(noFields, async (call) => {
      const { queue } = call.params
      await openQueue(call, queue).resume()
      logChange(call, { queue, action: 'resume' })
      return { redirectTo: call.linkHere(), notice: t`Queue resumed.` }
    }),
  }),
  live: { jobs: { everySeconds: EVERY_SECONDS, show: showJobs } },
  async show(call) {
    const { queue } = call.params
    const opened = openQueue(call, queue)
    const [isPaused, failed] = await Promise.all([opened.isPaused(), opened.getFailedCount()])
    const button = (path: string, label: string) =>
      showLink(call.link(`/queues/${queue}/${path}`), label, { class: 'button quiet' })
    return {
      title: queue,
      lead: html`${isPaused ? html`<span class="badge bad">${t`paused`}</span> ` : null}${t`Personal data is masked. The log has the request of each job.`}`,
      breadcrumbs: queueBreadcrumbs(queue).slice(0, 1),
      tools: html`${failed > 0 && mayRetry(queue) && button('retry-failed', t`Retry failed jobs`)}
${failed > 0 && button('remove-failed', t`Remove failed jobs`)}
${isPaused ? form(call, { action: 'resume', submit: t`Resume`, isInline: true }) : button('pause', t`Pause`)}`,
      content: await call.live('jobs'),
    }
  },
})

async function showJobs(call: QueueCall): Promise<Html> {
  const { page: number } = call.query
  const queue = openQueue(call, call.params.queue)
  const first = (number - 1) * ROWS_PER_PAGE
  const counts = await queue.getJobCounts(...STATE_NAMES.flatMap((name): JobType[] => STATES[name].types))
  const countOf = (name: StateName) => STATES[name].types.reduce((sum, type) => sum + (counts[type] ?? 0), 0)
  const state = call.query.state ?? STATE_NAMES.find((name) => countOf(name) > 0) ?? 'failed'
  const jobs = await queue.getJobs(STATES[state].types, first, first + ROWS_PER_PAGE)
  const items = STATE_NAMES.map((name) => ({
    label: translate(STATES[name].label),
    address: call.linkHere({ state: name, page: null }),
    isCurrent: name === state,
    count: countOf(name),
  }))
  // A job is undefined if it was removed during the read.
  const rows = jobs.filter((job): job is Job => job !== undefined)
  return html`${tabs(t`States`, items)}
${pagedTable(call, {
  caption: t`Jobs`,
  columns: columnsOf(call),
  found: { rows, total: countOf(state) },
  rowsPerPage: ROWS_PER_PAGE,
  page: number,
  pagesMax: PAGES_MAX,
  empty: html`<p>${t`No jobs in this state.`}</p>`,
})}`
}

function columnsOf(call: QueueCall): Column<Job>[] {
  return [
    { label: t`Job`, show: (job) => showJobLink(call, job) },
    { label: t`Reason`, show: ({ failedReason }) => failedReason && formatMessage(reasonOf(failedReason)) },
    { label: t`Request`, show: (job) => showRequest(job) },
    { label: t`Added`, isShort: true, show: ({ timestamp }) => showMoment(call, timestamp) },
    { label: t`Ended`, isShort: true, show: ({ finishedOn }) => showMoment(call, finishedOn) },
  ]
}

function showJobLink(call: QueueCall, job: Job): Html {
  const id = String(job.id)
  const name = formatMessage({ text: maskJob(job).name })
  const address = call.link(`/queues/${call.params.queue}/jobs/${encodeURIComponent(id)}`)
  return html`${showLinkOrText(address, name, { 'aria-label': t`${name}, job ${id}` })}`
}

export function showRequest(job: Job): Content {
  const { data } = maskJob(job)
  const id = typeof data === 'object' && data !== null && 'requestId' in data ? data.requestId : undefined
  return typeof id === 'string' ? html`<code>${id}</code>` : null
}

export const showMoment = (call: Call, ms: number | undefined): Content =>
  ms === undefined ? null : showRelativeInstant(new Date(ms).toISOString(), call.now)

type Change = {
  path: string
  title: Sentence
  question(queue: QueueName): string
  consequence(queue: QueueName): string
  notice: Sentence
  act(queue: Queue): Promise<unknown>
}

/** A page that asks before it changes all of a queue. */
const changePage = ({ path, title, question, consequence, notice, act }: Change) =>
  formPage({
    path: `/queues/{queue}/${path}`,
    title,
    section: 'Queues',
    params,
    missing,
    action: path,
    tone: 'danger',
    cancelLabel: sentence`Cancel`,
    find: (call: Call<Named>) => call.params.queue,
    heading: question,
    intro: consequence,
    breadcrumbs: queueBreadcrumbs,
    async act(call) {
      const { queue } = call.params
      await act(openQueue(call, queue))
      logChange(call, { queue, action: path })
      return { redirectTo: call.link(`/queues/${queue}`), notice: translate(notice) }
    },
  })

export const pauseQueue = changePage({
  path: 'pause',
  title: sentence`Pause`,
  question: (queue) => t`Pause the queue “${queue}”?`,
  consequence: (queue) =>
    queue === 'writes'
      ? t`Every change is refused until somebody resumes it.`
      : t`Its jobs wait until somebody resumes it.`,
  notice: sentence`Queue paused.`,
  act: (queue) => queue.pause(),
})

export const removeFailedJobs = changePage({
  path: 'remove-failed',
  title: sentence`Remove failed jobs`,
  question: (queue) => t`Remove all failed jobs of “${queue}”?`,
  consequence: () => t`You can no longer view or retry them. Their errors stay in the log.`,
  notice: sentence`Failed jobs removed.`,
  act: (queue) => queue.clean(0, REMOVED_MAX, 'failed'),
})

export const retryFailedJobs = changePage({
  path: 'retry-failed',
  title: sentence`Retry failed jobs`,
  question: (queue) => t`Retry all failed jobs of “${queue}”?`,
  consequence: () => t`Berth retries each accepted import and export once. Other jobs stay failed.`,
  notice: sentence`Failed jobs queued again.`,
  async act(queue) {
    requireRetry(queue.name as QueueName)
    await queue.retryJobs({ state: 'failed' })
  },
})

export function requireRetry(queue: QueueName) {
  if (mayRetry(queue)) return
  const why = message`You cannot retry a change here: the person who made it saw that it failed, and can make it again.`
  throw new Refusal('in_use', why)
}
