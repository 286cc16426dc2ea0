// Looks tokens up. What was found is remembered for less than a second, so that revoking works within one.
import type pg from 'pg'
import { type Ability, hashToken, isWellFormedToken } from '../../shared/tokens.ts'

export type Token = {
  id: number
  name: string
  abilities: Ability[]
  rateLimitPerMinute: number | null
}

const REMEMBERED_MS = 800
const REMEMBERED_MAX = 10_000

type Remembered = { token: Token; untilMs: number }

export class Tokens {
  readonly #pool: pg.Pool
  readonly #remembered = new Map<string, Remembered>()

  constructor(primary: pg.Pool) {
    this.#pool = primary
  }

  /** `fresh` asks Postgres in any case: a write proves that it is there before anything is handed over. */
  async find(secret: string, { fresh }: { fresh: boolean }): Promise<Token | undefined> {
    if (!isWellFormedToken(secret)) return undefined
    const hash = hashToken(secret)
    const key = hash.toString('base64')
    const known = this.#remembered.get(key)
    const now = Date.now()
    if (!fresh && known && known.untilMs > now) return known.token
    this.#remembered.delete(key)
    const token = await this.#look(hash)
    if (token) this.#remember(key, { token, untilMs: now + REMEMBERED_MS })
    return token
  }

  async #look(hash: Buffer): Promise<Token | undefined> {
    const { rows } = await this.#pool.query<Token>({
      name: 'find-token',
      text: `
        SELECT id, name, abilities, rate_limit_per_minute AS "rateLimitPerMinute"
        FROM tokens
        WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
      values: [hash],
    })
    return rows[0]
  }

  #remember(key: string, entry: Remembered) {
    const [oldest] = this.#remembered.keys()
    if (this.#remembered.size >= REMEMBERED_MAX && oldest !== undefined) this.#remembered.delete(oldest)
    this.#remembered.set(key, entry)
  }
}
