// The page of a job: when the job ran, why it failed, and its masked data. A failed job can be retried, and a
// finished job can be removed.
import type { Job } from 'bullmq'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, required, text } from '../../../../shared/schemas/fields.ts'
import { QUEUES, type QueueName } from '../../../../shared/schemas/job.ts'
import { type Html, html } from '../../../html/html.ts'
import { formatMessage, sentence, t, translate } from '../../locales/translate.ts'
import { type Call, definePage, noFields } from '../../pages/page/page.ts'
import { defineFormPage } from '../../pages/ui/declared-pages.ts'
import { oneOfChoices } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { showCard, showFactList, showLink } from '../../pages/ui/parts.ts'
import { maskJob } from './masks.ts'
import {
  canRetryJobs,
  createQueueBreadcrumbs,
  JOB_STATES,
  logChange,
  openQueue,
  requireRetryableQueue,
  showJobMoment,
  showRequestId,
} from './queue.ts'

const params = object({ queue: required(oneOfChoices(QUEUES)), job: required(text({ max: 255, min: 1 })) })
type JobCall = Call<{ queue: QueueName; job: string }>
type FoundJob = { job: Job; id: string; name: string; state: string; queue: QueueName }

const missing = message`This job no longer exists.`

async function findJob(call: JobCall): Promise<FoundJob> {
  const { queue, job: id } = call.params
  const job = await openQueue(call, queue).getJob(id)
  if (!job) throw new Refusal('not_found', missing)
  return { job, id, queue, name: formatMessage({ text: maskJob(job).name }), state: await job.getState() }
}

const formatAddress = ({ queue, id }: FoundJob) => `/queues/${queue}/jobs/${encodeURIComponent(id)}`

export const jobPage = definePage({
  path: '/queues/{queue}/jobs/{job}',
  title: sentence`Job`,
  section: 'Queues',
  params,
  missing,
  actions: (action) => ({
    retry: action(noFields, async (call) => {
      const found = await findJob(call)
      requireRetryableQueue(found.queue)
      if (found.state !== 'failed') throw new Refusal('in_use', message`Only failed jobs can be retried.`)
      await found.job.retry()
      logChange(call, { ...call.params, action: 'retry' })
      return { redirectTo: call.linkHere(), notice: t`Queued again.` }
    }),
  }),
  live: { job: { everySeconds: 3, show: async (call) => showJob(call, await findJob(call)) } },
  async show(call) {
    const found = await findJob(call)
    const remove = call.link(`${formatAddress(found)}/remove`)
    return {
      title: found.name,
      breadcrumbs: createQueueBreadcrumbs(found.queue),
      tools: html`${found.state === 'failed' && canRetryJobs(found.queue) && form(call, { action: 'retry', submit: t`Retry`, isInline: true })}
${hasEnded(found) && showMoreMenu([showLink(remove, t`Remove`, { class: 'danger' })])}`,
      content: await call.live('job'),
    }
  },
})

const hasEnded = ({ state }: FoundJob): boolean => state === 'failed' || state === 'completed'

function showJob(call: Call, { job, id, state }: FoundJob): Html {
  const { data, answer, failure } = maskJob(job)
  const facts = showFactList([
    [t`Status`, showState(state)],
    [t`ID`, html`<code>${id}</code>`],
    [t`Request`, showRequestId(job)],
    [t`Added`, showJobMoment(call, job.timestamp)],
    [t`Started`, showJobMoment(call, job.processedOn)],
    [t`Ended`, showJobMoment(call, job.finishedOn)],
    [t`Worker`, job.processedBy],
    [t`Attempts`, job.attemptsStarted],
  ])
  return html`${showCard(t`Details`, facts)}
${failure !== undefined && showCard(t`Failure`, showCode(failure))}
${showCard(t`Data`, showCode(JSON.stringify(data, null, 2)))}
${answer !== undefined && answer !== null && showCard(t`Answer`, showCode(JSON.stringify(answer, null, 2)))}`
}

const showCode = (text: string): Html => html`<pre tabindex="0">${text}</pre>`

function showState(state: string): Html {
  const known = Object.values(JOB_STATES).find(({ types }) => types.some((type) => type === state))
  const tone = state === 'failed' ? 'bad' : state === 'completed' ? 'good' : 'accent'
  return html`<span class="badge ${tone}">${known ? translate(known.label) : state}</span>`
}

export const removeJobPage = defineFormPage({
  path: '/queues/{queue}/jobs/{job}/remove',
  title: sentence`Remove`,
  section: 'Queues',
  params,
  missing,
  action: 'remove',
  tone: 'danger',
  find: findJob,
  heading: ({ name }) => t`Remove this job: ${name}?`,
  intro: () => t`You can no longer view or retry it. Its error stays in the log.`,
  breadcrumbs: (found) => [...createQueueBreadcrumbs(found.queue), [found.name, formatAddress(found)]],
  async act(call) {
    const found = await findJob(call)
    if (!hasEnded(found)) throw new Refusal('in_use', message`Only finished jobs can be removed.`)
    await found.job.remove()
    logChange(call, { ...call.params, action: 'remove' })
    return { redirectTo: call.link(`/queues/${found.queue}`), notice: t`Job removed.` }
  },
})
