// The pages of a queue: its jobs by state, with actions that pause, resume, retry and remove. These actions
// change Redis at once, and the log names the administrator. docs/decisions/0011-the-dashboard.md describes
// what a retry may do.
import type { Job, JobType, Queue } from 'bullmq'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, required } from '../../../../shared/schemas/fields.ts'
import { QUEUES, type QueueName } from '../../../../shared/schemas/job.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { formatMessage, type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import { type Breadcrumbs, type Call, definePage, noFields } from '../../pages/page/page.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { defineFormPage } from '../../pages/ui/declared-pages.ts'
import { oneOfChoices } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { pageNumber, showPagedTable } from '../../pages/ui/paging.ts'
import { type Column, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showTabs } from '../../pages/ui/tabs.ts'
import { describeFailureReason, maskJob } from './masks.ts'

const ROWS_PER_PAGE = 50
const PAGES_MAX = 200
const REFRESH_SECONDS = 5
const REMOVED_JOBS_MAX = 10_000

/** The states of BullMQ jobs that pages show. */
export const JOB_STATES = {
  failed: { label: sentence`Failed`, types: ['failed'] },
  running: { label: sentence`Running`, types: ['active'] },
  waiting: { label: sentence`Waiting`, types: ['waiting', 'prioritized'] },
  scheduled: { label: sentence`Scheduled`, types: ['delayed'] },
  done: { label: sentence`Done`, types: ['completed'] },
} satisfies Record<string, { label: Sentence; types: JobType[] }>
type StateName = keyof typeof JOB_STATES
const STATE_NAMES = Object.keys(JOB_STATES) as StateName[]

const params = object({ queue: required(oneOfChoices(QUEUES)) })
type QueueParams = { queue: QueueName }
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

/** Returns whether jobs of the queue may be retried. Writes may not be retried: a caller waited for each
 * write, and got its failure as the response. */
export const canRetryJobs = (queue: QueueName): boolean => queue !== 'writes'

export const createQueueBreadcrumbs = (queue: QueueName): Breadcrumbs => [
  [t`Queues`, '/queue-health'],
  [queue, `/queues/${queue}`],
]

const query = object({ state: oneOfChoices(STATE_NAMES), page: pageNumber(PAGES_MAX) })
type QueueCall = Call<QueueParams, typeof query.__outputType>

export const queuePage = definePage({
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
  live: { jobs: { everySeconds: REFRESH_SECONDS, show: showJobs } },
  async show(call) {
    const { queue } = call.params
    const opened = openQueue(call, queue)
    const [isPaused, failed] = await Promise.all([opened.isPaused(), opened.getFailedCount()])
    const button = (path: string, label: string) =>
      showLink(call.link(`/queues/${queue}/${path}`), label, { class: 'button quiet' })
    return {
      title: queue,
      lead: html`${isPaused ? html`<span class="badge bad">${t`paused`}</span> ` : null}${t`Personal data is masked. The log contains the request of each job.`}`,
      breadcrumbs: createQueueBreadcrumbs(queue).slice(0, 1),
      tools: html`${failed > 0 && canRetryJobs(queue) && button('retry-failed', t`Retry failed jobs`)}
${isPaused ? form(call, { action: 'resume', submit: t`Resume`, isInline: true }) : button('pause', t`Pause`)}
${failed > 0 && showMoreMenu([showLink(call.link(`/queues/${queue}/remove-failed`), t`Remove failed jobs`, { class: 'danger' })])}`,
      content: await call.live('jobs'),
    }
  },
})

async function showJobs(call: QueueCall): Promise<Html> {
  const { page: number } = call.query
  const queue = openQueue(call, call.params.queue)
  const first = (number - 1) * ROWS_PER_PAGE
  const counts = await queue.getJobCounts(...STATE_NAMES.flatMap((name): JobType[] => JOB_STATES[name].types))
  const countOf = (name: StateName) =>
    JOB_STATES[name].types.reduce((sum, type) => sum + (counts[type] ?? 0), 0)
  const state = call.query.state ?? STATE_NAMES.find((name) => countOf(name) > 0) ?? 'failed'
  const jobs = await queue.getJobs(JOB_STATES[state].types, first, first + ROWS_PER_PAGE)
  const items = STATE_NAMES.map((name) => ({
    label: translate(JOB_STATES[name].label),
    address: call.linkHere({ state: name, page: null }),
    isCurrent: name === state,
    count: countOf(name),
  }))
  // A job is undefined if it was removed during the read.
  const rows = jobs.filter((job): job is Job => job !== undefined)
  return html`${showTabs(t`States`, items)}
${showPagedTable(call, {
  caption: t`Jobs`,
  columns: createColumns(call),
  found: { rows, total: countOf(state) },
  rowsPerPage: ROWS_PER_PAGE,
  page: number,
  pagesMax: PAGES_MAX,
  empty: html`<p>${t`No jobs in this state.`}</p>`,
})}`
}

function createColumns(call: QueueCall): Column<Job>[] {
  return [
    { label: t`Job`, show: (job) => showJobLink(call, job) },
    {
      label: t`Reason`,
      show: ({ failedReason }) => failedReason && formatMessage(describeFailureReason(failedReason)),
    },
    { label: t`Request`, show: (job) => showRequestId(job) },
    { label: t`Added`, isShort: true, show: ({ timestamp }) => showJobMoment(call, timestamp) },
    { label: t`Ended`, isShort: true, show: ({ finishedOn }) => showJobMoment(call, finishedOn) },
  ]
}

function showJobLink(call: QueueCall, job: Job): Html {
  const id = String(job.id)
  const name = formatMessage({ text: maskJob(job).name })
  const address = call.link(`/queues/${call.params.queue}/jobs/${encodeURIComponent(id)}`)
  return html`${showLinkOrText(address, name, { 'aria-label': t`${name}, job ${id}` })}`
}

export function showRequestId(job: Job): Content {
  const { data } = maskJob(job)
  const id = typeof data === 'object' && data !== null && 'requestId' in data ? data.requestId : undefined
  return typeof id === 'string' ? html`<code>${id}</code>` : null
}

export const showJobMoment = (call: Call, ms: number | undefined): Content =>
  ms === undefined ? null : showRelativeInstant(new Date(ms).toISOString(), call.now)

type QueueChange = {
  path: string
  title: Sentence
  question(queue: QueueName): string
  consequence(queue: QueueName): string
  notice: Sentence
  act(queue: Queue): Promise<unknown>
}

/** Declares a page that asks for confirmation before it changes a whole queue. */
const defineChangePage = ({ path, title, question, consequence, notice, act }: QueueChange) =>
  defineFormPage({
    path: `/queues/{queue}/${path}`,
    title,
    section: 'Queues',
    params,
    missing,
    action: path,
    tone: 'danger',
    cancelLabel: sentence`Cancel`,
    find: (call: Call<QueueParams>) => call.params.queue,
    heading: question,
    intro: consequence,
    breadcrumbs: createQueueBreadcrumbs,
    async act(call) {
      const { queue } = call.params
      await act(openQueue(call, queue))
      logChange(call, { queue, action: path })
      return { redirectTo: call.link(`/queues/${queue}`), notice: translate(notice) }
    },
  })

export const pauseQueuePage = defineChangePage({
  path: 'pause',
  title: sentence`Pause`,
  question: (queue) => t`Pause the queue “${queue}”?`,
  consequence: (queue) =>
    queue === 'writes'
      ? t`Every change is refused until somebody resumes the queue.`
      : t`Jobs in this queue wait until somebody resumes it.`,
  notice: sentence`Queue paused.`,
  act: (queue) => queue.pause(),
})

export const removeFailedJobsPage = defineChangePage({
  path: 'remove-failed',
  title: sentence`Remove failed jobs`,
  question: (queue) => t`Remove all failed jobs of “${queue}”?`,
  consequence: () => t`You can no longer view or retry them. Their errors stay in the log.`,
  notice: sentence`Failed jobs removed.`,
  act: (queue) => queue.clean(0, REMOVED_JOBS_MAX, 'failed'),
})

export const retryFailedJobsPage = defineChangePage({
  path: 'retry-failed',
  title: sentence`Retry failed jobs`,
  question: (queue) => t`Retry all failed jobs of “${queue}”?`,
  consequence: () => t`Berth retries each accepted import and export once. Other jobs stay failed.`,
  notice: sentence`Failed jobs queued again.`,
  async act(queue) {
    requireRetryableQueue(queue.name as QueueName)
    await queue.retryJobs({ state: 'failed' })
  },
})

export function requireRetryableQueue(queue: QueueName) {
  if (canRetryJobs(queue)) return
  const why = message`A failed change cannot be retried here: the person who made it has seen the failure and can make the change again.`
  throw new Refusal('in_use', why)
}
