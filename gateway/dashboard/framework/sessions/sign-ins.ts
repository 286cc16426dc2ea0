// Decides whether an e-mail and a password belong together, so that guessing is slow and learns nothing: the same
// answer after about the same time for an unknown e-mail, and bounds on attempts and on work at once. It asks only
// Postgres and its own memory, because signing in must work while Redis is away.
import type pg from 'pg'
import { hashPassword, verifyPassword } from '../../../../shared/admins.ts'
import { Refusal } from '../../../../shared/refusal.ts'
import { BoundedMap } from '../../../../shared/utilities/bounded-map.ts'

const WINDOW_MS = 15 * 60_000
const ADDRESS_FAILURES_MAX = 20
// More than one address may fail: else anybody could lock an administrator out by knowing the e-mail.
const ACCOUNT_FAILURES_MAX = 60
const KEYS_MAX = 100_000
// A hash takes 32 MiB and some tenths of a second of one core.
const HASHES_MAX = 2
const WAITING_MAX = 16

type Count = { key: string; failures: number; endsMs: number }
type Account = { id: number; passwordHash: string }

export class SignIns {
  readonly #primary: pg.Pool
  readonly #now: () => number
  readonly #counts: BoundedMap<Count>
  readonly #waiting: Array<() => void> = []
  #hashing = 0
  #dummyHash: Promise<string> | undefined

  constructor(primary: pg.Pool, now: () => number, keysMax = KEYS_MAX) {
    this.#primary = primary
    this.#now = now
    this.#counts = new BoundedMap(keysMax)
  }

  /** Undefined where they do not belong together, whatever the reason. */
  async check(email: string, password: string, address: string): Promise<Account | undefined> {
    // Counted before it is known: a hundred attempts at once are a hundred attempts.
    const counts = [
      this.#count(`address ${address}`, ADDRESS_FAILURES_MAX),
      this.#count(`account ${foldEmail(email)}`, ACCOUNT_FAILURES_MAX),
    ]
    for (const count of counts) count.failures++
    const takeBack = () => {
      for (const count of counts) {
        count.failures--
        // Nothing is kept of it: else attempts that are refused unheard could push out counts of real ones.
        if (count.failures === 0 && this.#counts.get(count.key) === count) this.#counts.delete(count.key)
      }
    }
    try {
      const account = await this.#find(email)
      const hash = account?.passwordHash ?? (await this.#dummy())
      const isRight = await this.#limited(() => verifyPassword(password, hash))
      if (!account || !isRight) return undefined
      takeBack()
      return account
    } catch (error) {
      takeBack()
      throw error
    }
  }

  hash(password: string): Promise<string> {
    return this.#limited(() => hashPassword(password))
  }

  async #find(email: string): Promise<Account | undefined> {
    const { rows } = await this.#primary.query<Account>({
      name: 'find-account',
      text: `SELECT id, password_hash AS "passwordHash" FROM admins WHERE lower(email) = lower($1) AND disabled_at IS NULL`,
      values: [email],
    })
    return rows[0]
  }

  #dummy(): Promise<string> {
    this.#dummyHash ??= this.hash('nobody has this password')
    return this.#dummyHash
  }

  #count(key: string, max: number): Count {
    const nowMs = this.#now()
    const known = this.#counts.get(key)
    if (known && known.endsMs > nowMs) {
      if (known.failures >= max) throw tooManyAttempts(known.endsMs - nowMs)
      return known
    }
    const count = { key, failures: 0, endsMs: nowMs + WINDOW_MS }
    this.#counts.set(key, count)
    return count
  }

  async #limited<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#hashing >= HASHES_MAX) {
      if (this.#waiting.length >= WAITING_MAX)
        throw new Refusal('unavailable', 'Too many people are signing in right now. Try again shortly.')
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
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

// Postgres takes “İ” for a large “i”, which JavaScript does not: each way to write an e-mail would have attempts of its
// own. Marks and widths are left out; that a few accounts share a count does no harm.
function foldEmail(email: string): string {
  return email.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

function tooManyAttempts(leftMs: number): Refusal {
  const minutes = Math.max(1, Math.ceil(leftMs / 60_000))
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  return new Refusal('rate_limited', `Too many failed sign-in attempts. Try again in ${wait}.`, {
    headers: { 'Retry-After': String(Math.ceil(leftMs / 1000)) },
  })
}
