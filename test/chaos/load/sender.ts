// The network side of a client: sends a write to whichever gateway, with a key, and repeats it honestly where the
// answer says so or does not come.
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../harness/random.ts'
import { Answered } from '../../support/http/http.ts'
import { expectDocumented } from '../../support/http/openapi.ts'
import {
  decisiveTry,
  type History,
  type Request,
  type Try,
  type Verdict,
  verdictOf,
  type Write,
} from '../history.ts'

export type Network = {
  /** Where gateways are reached. */
  urls: string[]
  tokens: string[]
  /** After so long a client gives up waiting: longer than any gateway takes. */
  patienceMs: number
  /** The share of those who leave it at that when they are told that nothing was done. */
  leavesShare: number
}

const PAUSE_MS = 100
const PAUSE_MS_MAX = 1_000
const REPEATS_MAX = 20
const KEY_IN_USE = 'is still in progress'

export class Sender {
  readonly #network: Network
  readonly #history: History
  readonly #random: Random

  constructor(network: Network, history: History, random: Random) {
    this.#network = network
    this.#history = history
    this.#random = random
  }

  /** Until it is decided, left at that, or time is up. */
  async perform(write: Write, forMs: number): Promise<Verdict> {
    const deadlineMs = Date.now() + forMs
    for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
      const { status } = await this.send(write)
      const verdict = verdictOf(write)
      if (verdict === 'done' || verdict === 'refused') this.#history.decided++
      if (verdict !== 'unknown' && verdict !== 'not executed') return verdict
      if (verdict === 'not executed' && this.#random.chance(this.#network.leavesShare)) return verdict
      if (Date.now() > deadlineMs) return verdict
      // A connection that breaks may be a gateway that has gone; another one takes it at once.
      await wait(status === 0 ? PAUSE_MS : this.#random.between(pauseMs / 2, pauseMs))
    }
  }

  /** What was decided is asked for once more: it must be the first answer, to the byte. */
  async repeat(write: Write): Promise<void> {
    const first = decisiveTry(write)
    if (!first) return
    for (let left = REPEATS_MAX; left > 0; left--) {
      const { status, code, bodyHash, isReplay, id } = await this.send(write)
      if (status === 0 || status === 503 || status === 504 || code === 'idempotency_key_in_use') {
        await wait(PAUSE_MS)
        continue
      }
      const isSame =
        status === first.status && (bodyHash === first.bodyHash || (status === 202 && id === first.id))
      // Another job is right if the first one has failed and freed its key, which check/answers.ts finds out.
      if (!isSame && status === 202 && write.request.wantsAsync) return
      if (!isSame) this.#history.find('a repeat that did not get the first answer', write, 'another answer')
      else if (!isReplay && !write.request.form)
        this.#history.find('a repeat that did not get the first answer', write, 'done anew')
      return
    }
  }

  /** Until the accepted job has ended, or time is up. */
  async awaitJob({ token }: Write, id: string, forMs: number): Promise<void> {
    const headers = { Authorization: `Bearer ${this.#network.tokens[token]}` }
    const deadlineMs = Date.now() + forMs
    while (Date.now() < deadlineMs) {
      await wait(PAUSE_MS_MAX)
      const signal = AbortSignal.timeout(this.#network.patienceMs)
      const url = `${this.#random.pick(this.#network.urls)}/api/v1/jobs/${id}`
      const text = await fetch(url, { headers, signal }).then((answer) => answer.text(), noAnswer)
      if (text && JSON.parse(text).data?.finished_at) return
    }
  }

  async send(write: Write): Promise<Try> {
    const each: Try = {
      requestId: write.sharedRequestId ?? `${write.mark}.${write.tries.length + 1}`,
      sentMs: Date.now(),
      status: 0,
    }
    write.tries.push(each)
    this.#history.waiting.add(each)
    const url = this.#random.pick(this.#network.urls)
    const answer = await this.#ask(write, each, url).catch(noAnswer)
    each.tookMs = Date.now() - each.sentMs
    this.#history.waiting.delete(each)
    if (answer && write.request.form) this.#noteForm(write, each, answer)
    else if (answer) await this.#note(write, each, answer, url)
    return each
  }

  /** A page answers a successful form with a redirect, a screen with an empty answer. */
  #noteForm(write: Write, each: Try, answer: Answered): void {
    const { status } = answer
    // The clerk must sign in first: nothing was done, and the form must be sent again.
    if (status === 303 && answer.headers.get('Location')?.includes('/sign-in')) return
    each.status = status < 400 ? 200 : status
    if (status < 400) return
    const isInUse = answer.text.includes(KEY_IN_USE)
    each.code = isInUse ? 'idempotency_key_in_use' : `form ${status}`
    if (isInUse || status === 503 || status === 504 || write.refusals.includes(each.code)) return
    const is = answer.text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    if (status >= 500) this.#undocumented(write, is.slice(0, 300))
    else this.#history.find('refused, and nobody was in the way', write, is.slice(0, 600))
  }

  async #askForm({ path, form }: Request, { requestId }: Try, url: string): Promise<Answered> {
    const { fields, cookie } = form ?? { fields: '' }
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        Accept: cookie === undefined ? 'application/json' : 'text/html',
        Origin: url,
        'Sec-Fetch-Site': 'same-origin',
        'Content-Type': 'application/x-www-form-urlencoded',
        'X-Request-Id': requestId,
        ...(cookie === undefined ? {} : { Cookie: cookie }),
      },
      body: fields,
      signal: AbortSignal.timeout(this.#network.patienceMs),
    })
    return new Answered(response.status, response.headers, await response.text())
  }

  async #ask(write: Write, each: Try, url: string): Promise<Answered> {
    if (write.request.form) return this.#askForm(write.request, each, url)
    const { requestId } = each
    const { request, token, key } = write
    const { method, path, body, file, wantsAsync } = request
    // Each second try has a slash at its end: it is the same path.
    const slash = write.tries.length % 2 === 0 ? '/' : ''
    const response = await fetch(`${url}/api/v1/${path}${slash}`, {
      method,
      headers: {
        Accept: 'application/json',
        Authorization: `Bearer ${this.#network.tokens[token]}`,
        'X-Request-Id': requestId,
        'Idempotency-Key': key,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(wantsAsync ? { Prefer: 'respond-async' } : {}),
      },
      body: file ? formOf(file) : body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(this.#network.patienceMs),
    })
    return new Answered(response.status, response.headers, await response.text())
  }

  async #note(write: Write, each: Try, answer: Answered, url: string): Promise<void> {
    const { status } = answer
    each.status = status
    each.bodyHash = createHash('sha1').update(answer.text).digest('base64')
    if (answer.headers.has('Idempotency-Replayed')) each.isReplay = true
    try {
      await expectDocumented(url, write.request.method, `${url}/api/v1/${write.request.path}`, answer)
    } catch (error) {
      this.#undocumented(write, (error as Error).message)
    }
    if (status >= 400) this.#noteRefusal(write, each, answer)
    else this.#noteSuccess(write, each, answer)
  }

  #noteRefusal(write: Write, each: Try, answer: Answered): void {
    const { code, conflict } = answer.json
    each.code = code
    if (conflict) each.conflict = conflict
    const isPassing = [503, 504].includes(each.status) || code === 'idempotency_key_in_use'
    // What became of a 500 is looked at in the end: one of them is documented.
    if (isPassing || each.status >= 500) return
    if (write.refusals.includes(code)) return
    this.#history.find('refused, and nobody was in the way', write, answer.text.slice(0, 300))
  }

  #noteSuccess(write: Write, each: Try, answer: Answered): void {
    if (write.isWrong) this.#undocumented(write, `taken, where it must be refused with ${write.refusals}`)
    if (each.status === 202) {
      each.id = answer.headers.get('Location')?.split('/').at(-1) ?? ''
      return
    }
    const { data } = answer.text ? bodyOf(answer) : { data: undefined }
    const id = (Array.isArray(data) ? data[0] : data)?.id
    if (id !== undefined) each.id = String(id)
    const mismatch = write.mismatch?.(data)
    if (mismatch) this.#history.find('the answer of another write', write, mismatch)
  }

  #undocumented(write: Write, is: string): void {
    this.#history.find('an answer that is not documented, a 5xx other than 503 and 504', write, is)
  }
}

// An import's result is not under `data`.
function bodyOf(answer: Answered) {
  const { json } = answer
  return 'data' in json ? json : { data: json }
}

function formOf({ name, text }: { name: string; text: string }): FormData {
  const form = new FormData()
  form.set('file', new Blob([text]), name)
  form.set('update', 'true')
  return form
}

// Refused, broken off, or nothing for too long; everything else is a mistake of this harness.
function noAnswer(error: unknown): undefined {
  const { name } = error as Error
  if (error instanceof TypeError || name === 'TimeoutError' || name === 'AbortError') return undefined
  throw error
}
