// Sends the writes of a client to any gateway, with an idempotency key, and repeats a write if the answer asks for a
// repeat or does not arrive.
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../harness/random.ts'
import { ApiAnswer } from '../../support/http/http.ts'
import { expectDocumented } from '../../support/http/openapi.ts'
import {
  determineVerdict,
  findDecisiveTry,
  type History,
  isPassing,
  type Request,
  type Try,
  type Verdict,
  type Write,
} from '../history.ts'

export type Network = {
  /** The addresses of the gateways. */
  urls: string[]
  tokens: string[]
  /** The time that a client waits for an answer: longer than any gateway takes. */
  patienceMs: number
  /** The share of clients that give up after an answer says that nothing was done. */
  leavesShare: number
}

const PAUSE_MS = 100
const PAUSE_MS_MAX = 1_000
const REPEATS_MAX = 20
const KEY_IN_USE_MESSAGE = 'is still in progress'

export class Sender {
  readonly #network: Network
  readonly #history: History
  readonly #random: Random

  constructor(network: Network, history: History, random: Random) {
    this.#network = network
    this.#history = history
    this.#random = random
  }

  /** Sends the write until it is decided or abandoned, or the time has run out. */
  async perform(write: Write, forMs: number): Promise<Verdict> {
    const deadlineMs = Date.now() + forMs
    for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
      const { status } = await this.send(write)
      const verdict = determineVerdict(write)
      if (verdict === 'done' || verdict === 'refused') this.#history.decided++
      if (verdict !== 'unknown' && verdict !== 'not executed') return verdict
      if (verdict === 'not executed' && this.#random.chance(this.#network.leavesShare)) return verdict
      if (Date.now() > deadlineMs) return verdict
      // A broken connection may mean that the gateway has stopped; another gateway can take the write
      // immediately.
      await wait(status === 0 ? PAUSE_MS : this.#random.between(pauseMs / 2, pauseMs))
    }
  }

  /** Repeats a decided write: the answer must equal the first one byte for byte. */
  async repeat(write: Write): Promise<void> {
    const first = findDecisiveTry(write)
    if (!first) return
    for (let left = REPEATS_MAX; left > 0; left--) {
      const sent = await this.send(write)
      const { status, bodyHash, isReplay, id } = sent
      if (isPassing(sent)) {
        await wait(PAUSE_MS)
        continue
      }
      const isSame =
        status === first.status && (bodyHash === first.bodyHash || (status === 202 && id === first.id))
      // A different job is correct if the first one failed and freed its key, which check/answers.ts verifies.
      if (!isSame && status === 202 && write.request.wantsAsync) return
      if (!isSame) this.#history.find('a repeat with another answer than the first', write, 'another answer')
      else if (!isReplay && !write.request.form)
        this.#history.find('a repeat with another answer than the first', write, 'done anew')
      return
    }
  }

  /** Waits until the accepted job has ended, or the time has run out. */
  async awaitJob({ token }: Write, id: string, forMs: number): Promise<void> {
    const headers = { Authorization: `Bearer ${this.#network.tokens[token]}` }
    const deadlineMs = Date.now() + forMs
    while (Date.now() < deadlineMs) {
      await wait(PAUSE_MS_MAX)
      const signal = AbortSignal.timeout(this.#network.patienceMs)
      const url = `${this.#random.pick(this.#network.urls)}/api/v1/jobs/${id}`
      const text = await fetch(url, { headers, signal }).then(
        (answer) => answer.text(),
        ignoreConnectionError,
      )
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
    const answer = await this.#ask(write, each, url).catch(ignoreConnectionError)
    each.tookMs = Date.now() - each.sentMs
    this.#history.waiting.delete(each)
    if (answer && write.request.form) this.#noteForm(write, each, answer)
    else if (answer) await this.#note(write, each, answer, url)
    return each
  }

  /** Records the answer to a form. After a success, a page redirects and a screen answers with an empty body. */
  #noteForm(write: Write, each: Try, answer: ApiAnswer): void {
    const { status } = answer
    // The clerk must sign in first: nothing was done, and the form must be sent again.
    if (status === 303 && answer.headers.get('Location')?.includes('/sign-in')) return
    each.status = status < 400 ? 200 : status
    if (status < 400) return
    const isInUse = answer.text.includes(KEY_IN_USE_MESSAGE)
    each.code = isInUse ? 'idempotency_key_in_use' : `form ${status}`
    if (isInUse || status === 503 || status === 504 || write.refusals.includes(each.code)) return
    const is = answer.text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    if (status >= 500) this.#undocumented(write, is.slice(0, 300))
    else this.#history.find('refused without a conflict', write, is.slice(0, 600))
  }

  async #askForm({ path, form }: Request, { requestId }: Try, url: string): Promise<ApiAnswer> {
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
    return new ApiAnswer(response.status, response.headers, await response.text())
  }

  async #ask(write: Write, each: Try, url: string): Promise<ApiAnswer> {
    if (write.request.form) return this.#askForm(write.request, each, url)
    const { requestId } = each
    const { request, token, key } = write
    const { method, path, body, file, wantsAsync } = request
    // Every second attempt has a slash at the end of the path, which means the same path.
    const address = new URL(`${url}/api/v1/${path}`)
    if (write.tries.length % 2 === 0) address.pathname += '/'
    const response = await fetch(address, {
      method,
      headers: {
        Accept: 'application/json',
        Authorization: `Bearer ${this.#network.tokens[token]}`,
        'X-Request-Id': requestId,
        'Idempotency-Key': key,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(wantsAsync ? { Prefer: 'respond-async' } : {}),
      },
      body: file ? createFileForm(file) : body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(this.#network.patienceMs),
    })
    return new ApiAnswer(response.status, response.headers, await response.text())
  }

  async #note(write: Write, each: Try, answer: ApiAnswer, url: string): Promise<void> {
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

  #noteRefusal(write: Write, each: Try, answer: ApiAnswer): void {
    const { code, conflict } = answer.json
    each.code = code
    if (conflict) each.conflict = conflict
    // The check at the end handles a 500, because one kind of 500 is documented.
    if (code === 'idempotency_key_in_use' || each.status >= 500) return
    if (write.refusals.includes(code)) return
    this.#history.find('refused without a conflict', write, answer.text.slice(0, 300))
  }

  #noteSuccess(write: Write, each: Try, answer: ApiAnswer): void {
    if (write.isWrong) this.#undocumented(write, `taken, where it must be refused with ${write.refusals}`)
    if (each.status === 202) {
      each.id = answer.headers.get('Location')?.split('/').at(-1) ?? ''
      return
    }
    const { data } = answer.text ? parseAnswerBody(answer) : { data: undefined }
    const id = (Array.isArray(data) ? data[0] : data)?.id
    if (id !== undefined) each.id = String(id)
    const mismatch = write.mismatch?.(data)
    if (mismatch) this.#history.find('the answer of another write', write, mismatch)
  }

  #undocumented(write: Write, is: string): void {
    this.#history.find('an answer that is not documented, a 5xx other than 503 and 504', write, is)
  }
}

// The result of an import is not inside `data`.
function parseAnswerBody(answer: ApiAnswer) {
  const { json } = answer
  return 'data' in json ? json : { data: json }
}

function createFileForm({ name, text }: { name: string; text: string }): FormData {
  const form = new FormData()
  form.set('file', new Blob([text]), name)
  form.set('update', 'true')
  return form
}

// Ignores refused, broken and silent connections. All other errors are bugs of this test harness.
function ignoreConnectionError(error: unknown): undefined {
  const { name } = error as Error
  if (error instanceof TypeError || name === 'TimeoutError' || name === 'AbortError') return undefined
  throw error
}
