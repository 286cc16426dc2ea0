// The page of a job: when it ran, why it failed, and its masked data; retrying a failed one and removing a finished one.
import type { Job } from 'bullmq'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, required, text } from '../../../../shared/schemas/fields.ts'
import { QUEUES, type QueueName } from '../../../../shared/schemas/job.ts'
import { type Html, html } from '../../../html/html.ts'
import { formatMessage, sentence, t, translate } from '../../locales/translate.ts'
import { type Call, noFields, page } from '../../pages/page/page.ts'
import { formPage } from '../../pages/ui/declared-pages.ts'
import { oneOf } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { card, showFacts, showLink } from '../../pages/ui/parts.ts'
import { maskJob } from './masks.ts'
import {
  logChange,
  mayRetry,
  openQueue,
  queueBreadcrumbs,
  requireRetry,
  STATES,
  showMoment,
  showRequest,
} from './queue.ts'

const params = object({ queue: required(oneOf(QUEUES)), job: required(text({ max: 255, min: 1 })) })
type JobCall = Call<{ queue: QueueName; job: string }>
type FoundJob = { job: Job; id: string; name: string; state: string; queue: QueueName }

const missing = message`This job does not exist any more.`

async function findJob(call: JobCall): Promise<FoundJob> {
  const { queue, job: id } = call.params
  const job = await openQueue(call, queue).getJob(id)
  if (!job) throw new Refusal('not_found', missing)
  return { job, id, queue, name: formatMessage({ text: maskJob(job).name }), state: await job.getState() }
}

const addressOf = ({ queue, id }: FoundJob) => `/queues/${queue}/jobs/${encodeURIComponent(id)}`

export const jobPage = page({
  path: '/queues/{queue}/jobs/{job}',
  title: sentence`Job`,
  section: 'Queues',
  params,
  missing,
  actions: (action) => ({
    retry: action(noFields, async (call) => {
      const found = await findJob(call)
      requireRetry(found.queue)
      if (found.state !== 'failed') throw new Refusal('in_use', message`Only failed jobs can be retried.`)
      await found.job.retry()
      logChange(call, { ...call.params, action: 'retry' })
      return { redirectTo: call.linkHere(), notice: t`Queued again.` }
    }),
  }),
  live: { job: { everySeconds: 3, show: async (call) => showJob(call, await findJob(call)) } },
  async show(call) {
    const found = await findJob(call)
    const remove = call.link(`${addressOf(found)}/remove`)
    return {
      title: found.name,
      breadcrumbs: queueBreadcrumbs(found.queue),
      tools: html`${found.state === 'failed' && mayRetry(found.queue) && form(call, { action: 'retry', submit: t`Retry`, isInline: true })}
${isOver(found) && showLink(remove, t`Remove`, { class: 'button quiet' })}`,
      content: await call.live('job'),
    }
  },
})

const isOver = ({ state }: FoundJob): boolean => state === 'failed' || state === 'completed'

function showJob(call: Call, { job, id, state }: FoundJob): Html {
  const { data, answer, failure } = maskJob(job)
  const facts = showFacts([
    [t`Status`, showState(state)],
    [t`ID`, html`<code>${id}</code>`],
    [t`Request`, showRequest(job)],
    [t`Added`, showMoment(call, job.timestamp)],
    [t`Started`, showMoment(call, job.processedOn)],
    [t`Ended`, showMoment(call, job.finishedOn)],
    [t`Worker`, job.processedBy],
    [t`Attempts`, job.attemptsStarted],
  ])
  return html`${card(t`Details`, facts)}
${failure !== undefined && card(t`Failure`, showCode(failure))}
${card(t`Data`, showCode(JSON.stringify(data, null, 2)))}
${answer !== undefined && answer !== null && card(t`Answer`, showCode(JSON.stringify(answer, null, 2)))}`
}

const showCode = (text: string): Html => html`<pre tabindex="0">${text}</pre>`

function showState(state: string): Html {
  const known = Object.values(STATES).find(({ types }) => types.some((type) => type === state))
  const tone = state === 'failed' ? 'bad' : state === 'completed' ? 'good' : 'accent'
  return html`<span class="badge ${tone}">${known ? translate(known.label) : state}</span>`
}

export const removeJob = formPage({
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
  breadcrumbs: (found) => [...queueBreadcrumbs(found.queue), [found.name, addressOf(found)]],
  async act(call) {
    const found = await findJob(call)
    if (!isOver(found)) throw new Refusal('in_use', message`Only finished jobs can be removed.`)
    await found.job.remove()
    logChange(call, { ...call.params, action: 'remove' })
    return { redirectTo: call.link(`/queues/${found.queue}`), notice: t`Job removed.` }
  },
})
