// The queue board as its own program asks it, and jobs to be seen there.
import { randomUUID } from 'node:crypto'
import type { Queue } from 'bullmq'
import { eventually } from '../time.ts'
import type { Browser } from './dashboard.ts'

export const BOARD = '/dashboard/queues'

type Asked = { method?: string; headers?: Record<string, string>; token?: string | null; body?: string }
type BoardAnswer = { status: number; text: string; headers: Headers }

/** `token` is what the page was given unless it says another; null sends none. */
export async function askBoard(browser: Browser, path: string, asked: Asked = {}): Promise<BoardAnswer> {
  const { method = 'GET', headers = {}, token = browser.cookies.get('XSRF-TOKEN') ?? null, body } = asked
  const answer = await fetch(new URL(BOARD + path, browser.url), {
    method: method.toUpperCase(),
    redirect: 'manual',
    headers: {
      Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      Origin: browser.url,
      'Sec-Fetch-Site': 'same-origin',
      ...(token === null ? {} : { 'X-XSRF-TOKEN': token }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

/** A job that fails at once, because it is not as the gateway makes them. Returns its id. */
export async function failJob(queue: Queue, data: unknown = {}, name = 'bookings.create'): Promise<string> {
  const jobId = randomUUID()
  await queue.add(name, data, { jobId })
  await eventually(async () => {
    if ((await queue.getJobState(jobId)) !== 'failed') throw new Error('It has not failed yet')
  })
  return jobId
}
