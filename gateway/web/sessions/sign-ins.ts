// Checks whether an e-mail and a password match. Guessing is slow and reveals nothing: an unknown e-mail gets the same
// response after about the same time, and attempts and concurrent work are limited. Uses only Postgres and the
// process's own memory, because signing in must work while Redis is down.

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { createDummyHash, hashPassword, verifyPassword } from '../../../shared/administrators/admin-store.ts'
import { countedMessage, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { BoundedMap } from '../../../shared/utilities/caches.ts'
import { findNetwork } from '../../auth/networks.ts'
import { findKnownBrowser, hasKnownBrowserFormat } from './known-browsers.ts'
import { isLinked } from './sessions.ts'

// The interval of throttled attempts. At most 180 attempts run in the 15 minutes for which failures count,
// and none waits longer than 20 seconds.
const THROTTLED_EVERY_MS = 5_000
const WAITING_ATTEMPTS_MAX = 4

type WaitingAttempt = { failures: number; pass(): void; refuse(error: Refusal): void }

export class SignInThrottle {
  readonly #wait: (ms: number) => Promise<void>
  readonly #waiting: WaitingAttempt[] = []
  #isRunning = false

  constructor(wait: (ms: number) => Promise<void>) {
    this.#wait = wait
  }

  pass(failures: number): Promise<void> {
    return new Promise((pass, refuse) => {
      this.#waiting.push({ failures, pass, refuse })
      if (this.#waiting.length > WAITING_ATTEMPTS_MAX)
        this.#take((one, other) => one > other)?.refuse(createTooManyRefusal())
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run() {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      await this.#wait(THROTTLED_EVERY_MS)
      this.#take((one, other) => one < other)?.pass()
    }
    this.#isRunning = false
  }

  // Takes a waiting attempt. If several origins have the same number of failures, the first to arrive goes first, and
  // the last is refused.
  #take(isBefore: (failures: number, other: number) => boolean): WaitingAttempt | undefined {
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

function createTooManyRefusal(): Refusal {
  return new Refusal(
    'rate_limited',
    message`Too many failed sign-in attempts for this account. Try again shortly, or use a browser in which you have signed in before.`,
    { headers: { 'Retry-After': String(THROTTLED_EVERY_MS / 1000) } },
  )
}

const FAILURE_WINDOW_MS = 15 * 60_000
const ADDRESS_FAILURES_MAX = 20
// The number of failures after which an account's attempts run one at a time. If they were refused, anybody who knows
// the e-mail could lock the administrator out.
const ACCOUNT_FAILURES_MAX = 60
const BROWSER_FAILURES_MAX = 20
const COUNTED_KEYS_MAX = 100_000
// The maximum number of concurrent hashes. One hash takes 32 MiB of memory and some tenths of a second on one core.
const CONCURRENT_HASHES_MAX = 2
const WAITING_HASHES_MAX = 16

type FailureCount = { key: string; failures: number; endsMs: number; throttle?: SignInThrottle }
type SignInAccount = { id: number; passwordHash: string }
/** The origin of an attempt: the network address, and the cookie of a browser that has signed in before. */
type AttemptSource = { address: string; knownBrowser?: string | undefined }
/** Administrators who are linked to `issuer` cannot use a password. */
type SignInSettings = { issuer?: string | undefined; keysMax?: number; wait?: (ms: number) => Promise<void> }

export class SignIns {
  readonly #primary: pg.Pool
  readonly #issuer: string | undefined
  readonly #now: () => number
  readonly #counts: BoundedMap<FailureCount>
  readonly #wait: (ms: number) => Promise<void>
  readonly #waiting: Array<() => void> = []
  readonly #dummyHash = createDummyHash()
  #hashing = 0

  constructor(
    primary: pg.Pool,
    now: () => number,
    {
      issuer,
      keysMax = COUNTED_KEYS_MAX,
      wait = (ms) => sleep(ms, undefined, { ref: false }),
    }: SignInSettings = {},
  ) {
    this.#primary = primary
    this.#issuer = issuer
    this.#now = now
    this.#counts = new BoundedMap(keysMax)
    this.#wait = wait
  }

  /** Returns the account. Returns undefined if the e-mail and the password do not match, for any reason. */
  async check(email: string, password: string, origin: AttemptSource): Promise<SignInAccount | undefined> {
    // Checks the address before any query, so that refused attempts cost no queries.
    if (!hasKnownBrowserFormat(origin.knownBrowser)) this.#refuseAddress(origin)
    const account = await this.#find(email)
    const browser = this.#findBrowser(origin, account)
    // Counts the attempt before its result is known, so that a hundred concurrent attempts count as a hundred.
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

  // Finds the account's browser. Also computes a signature for an unknown e-mail, so that this takes equally
  // long.
  #findBrowser({ knownBrowser }: AttemptSource, account: SignInAccount | undefined): string | undefined {
    const signer = account ?? { id: 0, passwordHash: this.#dummyHash }
    const browser = findKnownBrowser(knownBrowser, signer, this.#now())
    return account && browser
  }

  async #find(email: string): Promise<SignInAccount | undefined> {
    const { rows } = await this.#primary.query<SignInAccount>({
      name: 'find-account',
      text: `SELECT id, password_hash AS "passwordHash" FROM admins
        WHERE lower(email) = lower($1) AND disabled_at IS NULL AND NOT ${isLinked('$2')}`,
      values: [email, this.#issuer ?? null],
    })
    return rows[0]
  }

  #countStranger(email: string, origin: AttemptSource): FailureCount[] {
    this.#refuseAddress(origin)
    return [this.#count(formatAddressKey(origin)), this.#count(`account ${normalizeEmail(email)}`)]
  }

  #refuseAddress(origin: AttemptSource) {
    const count = this.#counts.get(formatAddressKey(origin))
    if (count && count.endsMs > this.#now()) this.#refuseFrom(count, ADDRESS_FAILURES_MAX)
  }

  // Counts an attempt of a known browser. Attempts on its account from elsewhere, or by others at its
  // address, do not hold it back.
  #countBrowser(browser: string): FailureCount {
    const count = this.#count(`browser ${browser}`)
    this.#refuseFrom(count, BROWSER_FAILURES_MAX)
    return count
  }

  async #slowDown([address, account]: FailureCount[]): Promise<void> {
    if (!address || !account || account.failures <= ACCOUNT_FAILURES_MAX) return
    account.throttle ??= new SignInThrottle(this.#wait)
    await account.throttle.pass(address.failures)
  }

  #count(key: string): FailureCount {
    const nowMs = this.#now()
    const known = this.#counts.get(key)
    if (known && known.endsMs > nowMs) return known
    const count = { key, failures: 0, endsMs: nowMs + FAILURE_WINDOW_MS }
    this.#counts.set(key, count)
    return count
  }

  #refuseFrom({ failures, endsMs }: FailureCount, max: number) {
    if (failures >= max) throw createTooManyAttemptsRefusal(endsMs - this.#now())
  }

  #undo(counts: FailureCount[]) {
    for (const count of counts) {
      count.failures--
      // Deletes a count of zero. Otherwise, attempts that are refused without a check could displace other
      // counts.
      if (count.failures === 0 && this.#counts.get(count.key) === count) this.#counts.delete(count.key)
    }
  }

  // Limits concurrent hashes. Unknown browsers cannot fill the queue for known browsers.
  async #limited<Result>(work: () => Promise<Result>, isKnown = false): Promise<Result> {
    if (this.#hashing >= CONCURRENT_HASHES_MAX) {
      if (this.#waiting.length >= WAITING_HASHES_MAX && !isKnown)
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

function formatAddressKey({ address }: AttemptSource): string {
  return `address ${findNetwork(address)}`
}

// Normalizes an e-mail for counting. Postgres treats “İ” as a capital “i”, but JavaScript does not, so each spelling
// would get its own attempts. Ignores marks and widths; it does no harm if a few accounts share a count.
export function normalizeEmail(email: string): string {
  return email.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

function createTooManyAttemptsRefusal(leftMs: number): Refusal {
  const minutes = Math.max(1, Math.ceil(leftMs / 60_000))
  const wait = countedMessage(minutes, '# minute', '# minutes')
  return new Refusal('rate_limited', message`Too many failed sign-in attempts. Try again in ${wait}.`, {
    headers: { 'Retry-After': String(Math.ceil(leftMs / 1000)) },
  })
}
