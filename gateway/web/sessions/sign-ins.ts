// Checks whether an e-mail and a password match, so that guessing is slow and reveals nothing: an unknown
// e-mail gets the same answer after about the same time, and attempts and concurrent work are limited. Uses
// only Postgres and its own memory, because signing in must work while Redis is down.

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { dummyHash, hashPassword, verifyPassword } from '../../../shared/administrators/admin-store.ts'
import { counted, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { BoundedMap } from '../../../shared/utilities/caches.ts'
import { networkOf } from '../../auth/networks.ts'
import { findKnownBrowser, looksLikeKnownBrowser } from './known-browsers.ts'
import { isLinked } from './sessions.ts'

// At most 180 in the 15 minutes for which failures count, and none waits longer than 20 seconds.
const EVERY_MS = 5_000
const THROTTLED_MAX = 4

type Waiting = { failures: number; pass(): void; refuse(error: Refusal): void }

export class Throttle {
  readonly #wait: (ms: number) => Promise<void>
  readonly #waiting: Waiting[] = []
  #isRunning = false

  constructor(wait: (ms: number) => Promise<void>) {
    this.#wait = wait
  }

  pass(failures: number): Promise<void> {
    return new Promise((pass, refuse) => {
      this.#waiting.push({ failures, pass, refuse })
      if (this.#waiting.length > THROTTLED_MAX) this.#take((one, other) => one > other)?.refuse(tooMany())
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run() {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      await this.#wait(EVERY_MS)
      this.#take((one, other) => one < other)?.pass()
    }
    this.#isRunning = false
  }

  // If several have the same number, the first to arrive goes first, and the last is refused.
  #take(isBefore: (failures: number, other: number) => boolean): Waiting | undefined {
    const ordered = isBefore(1, 2) ? this.#waiting : this.#waiting.toReversed()
    const [first] = ordered
    const chosen = ordered.reduce(
      (best, each) => (isBefore(each.failures, (best ?? each).failures) ? each : best),
      first,
    )
    if (chosen) this.#waiting.splice(this.#waiting.indexOf(chosen), 1)
    return chosen
  }
}

function tooMany(): Refusal {
  return new Refusal(
    'rate_limited',
    message`Too many failed sign-in attempts for this account. Try again shortly, or use a browser in which you have signed in before.`,
    { headers: { 'Retry-After': String(EVERY_MS / 1000) } },
  )
}

const WINDOW_MS = 15 * 60_000
const ADDRESS_FAILURES_MAX = 20
// Further attempts run one at a time. If they were refused, anybody who knows the e-mail could lock the
// administrator out.
const ACCOUNT_FAILURES_MAX = 60
const BROWSER_FAILURES_MAX = 20
const KEYS_MAX = 100_000
// One hash takes 32 MiB and some tenths of a second on one core.
const HASHES_MAX = 2
const WAITING_MAX = 16

type Count = { key: string; failures: number; endsMs: number; throttle?: Throttle }
type Account = { id: number; passwordHash: string }
/** The origin of an attempt: the address, and the cookie of a browser that signed in before. */
type Origin = { address: string; knownBrowser?: string | undefined }
/** Administrators of this issuer cannot use a password. */
type Settings = { issuer?: string | undefined; keysMax?: number; wait?: (ms: number) => Promise<void> }

export class SignIns {
  readonly #primary: pg.Pool
  readonly #issuer: string | undefined
  readonly #now: () => number
  readonly #counts: BoundedMap<Count>
  readonly #wait: (ms: number) => Promise<void>
  readonly #waiting: Array<() => void> = []
  readonly #dummyHash = dummyHash()
  #hashing = 0

  constructor(
    primary: pg.Pool,
    now: () => number,
    { issuer, keysMax = KEYS_MAX, wait = (ms) => sleep(ms, undefined, { ref: false }) }: Settings = {},
  ) {
    this.#primary = primary
    this.#issuer = issuer
    this.#now = now
    this.#counts = new BoundedMap(keysMax)
    this.#wait = wait
  }

  /** Undefined if they do not match, for whatever reason. */
  async check(email: string, password: string, origin: Origin): Promise<Account | undefined> {
    // Checked before any query, so that refused attempts cost none.
    if (!looksLikeKnownBrowser(origin.knownBrowser)) this.#refuseAddress(origin)
    const account = await this.#find(email)
    const browser = this.#findBrowser(origin, account)
    // Counted before the result is known, so that a hundred attempts at once count as a hundred.
    const counts = browser === undefined ? this.#countStranger(email, origin) : [this.#countBrowser(browser)]
    for (const count of counts) count.failures++
    try {
      await this.#slowDown(counts)
      const hash = account?.passwordHash ?? this.#dummyHash
      const isRight = await this.#limited(() => verifyPassword(password, hash), browser !== undefined)
      if (!account || !isRight) return undefined
      this.#undo(counts)
      return account
    } catch (error) {
      this.#undo(counts)
      throw error
    }
  }

  hash(password: string): Promise<string> {
    return this.#limited(() => hashPassword(password))
  }

  // Also signed for an unknown e-mail, so that it takes as long.
  #findBrowser({ knownBrowser }: Origin, account: Account | undefined): string | undefined {
    const signer = account ?? { id: 0, passwordHash: this.#dummyHash }
    const browser = findKnownBrowser(knownBrowser, signer, this.#now())
    return account && browser
  }

  async #find(email: string): Promise<Account | undefined> {
    const { rows } = await this.#primary.query<Account>({
      name: 'find-account',
      text: `SELECT id, password_hash AS "passwordHash" FROM admins
        WHERE lower(email) = lower($1) AND disabled_at IS NULL AND NOT ${isLinked('$2')}`,
      values: [email, this.#issuer ?? null],
    })
    return rows[0]
  }

  #countStranger(email: string, origin: Origin): Count[] {
    this.#refuseAddress(origin)
    return [this.#count(addressKey(origin)), this.#count(`account ${normalizeEmail(email)}`)]
  }

  #refuseAddress(origin: Origin) {
    const count = this.#counts.get(addressKey(origin))
    if (count && count.endsMs > this.#now()) this.#refuseFrom(count, ADDRESS_FAILURES_MAX)
  }

  // A known browser gets in regardless of what others do to its account or from its address.
  #countBrowser(browser: string): Count {
    const count = this.#count(`browser ${browser}`)
    this.#refuseFrom(count, BROWSER_FAILURES_MAX)
    return count
  }

  async #slowDown([address, account]: Count[]): Promise<void> {
    if (!address || !account || account.failures <= ACCOUNT_FAILURES_MAX) return
    account.throttle ??= new Throttle(this.#wait)
    await account.throttle.pass(address.failures)
  }

  #count(key: string): Count {
    const nowMs = this.#now()
    const known = this.#counts.get(key)
    if (known && known.endsMs > nowMs) return known
    const count = { key, failures: 0, endsMs: nowMs + WINDOW_MS }
    this.#counts.set(key, count)
    return count
  }

  #refuseFrom({ failures, endsMs }: Count, max: number) {
    if (failures >= max) throw tooManyAttempts(endsMs - this.#now())
  }

  #undo(counts: Count[]) {
    for (const count of counts) {
      count.failures--
      // Deleted, because attempts that are refused unchecked could otherwise displace the counts of real
      // ones.
      if (count.failures === 0 && this.#counts.get(count.key) === count) this.#counts.delete(count.key)
    }
  }

  // Unknown browsers cannot fill the queue for known ones.
  async #limited<Result>(work: () => Promise<Result>, isKnown = false): Promise<Result> {
    if (this.#hashing >= HASHES_MAX) {
      if (this.#waiting.length >= WAITING_MAX && !isKnown)
        throw new Refusal(
          'unavailable',
          message`Too many people are signing in right now. Try again shortly.`,
        )
      await new Promise<void>((resolve) =>
        isKnown ? this.#waiting.unshift(resolve) : this.#waiting.push(resolve),
      )
    } else {
      this.#hashing++
    }
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#hashing--
    }
  }
}

function addressKey({ address }: Origin): string {
  return `address ${networkOf(address)}`
}

// Postgres treats “İ” as a capital “i”, but JavaScript does not, so each spelling of an e-mail would get its
// own attempts. Marks and widths are ignored; it does no harm if a few accounts share a count.
export function normalizeEmail(email: string): string {
  return email.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

function tooManyAttempts(leftMs: number): Refusal {
  const minutes = Math.max(1, Math.ceil(leftMs / 60_000))
  const wait = counted(minutes, '# minute', '# minutes')
  return new Refusal('rate_limited', message`Too many failed sign-in attempts. Try again in ${wait}.`, {
    headers: { 'Retry-After': String(Math.ceil(leftMs / 1000)) },
  })
}
