// Looks tokens up. What was found is cached for less than a second, so that revoking works within one.
import type pg from 'pg'
import { type Ability, hashToken, isWellFormedToken } from '../../shared/tokens.ts'
import { BoundedMap } from '../../shared/utilities/bounded-map.ts'

export type Token = {
  id: number
  name: string
  abilities: Ability[]
  rateLimitPerMinute: number | null
}

const CACHED_MS = 800
const CACHED_MAX = 10_000

type CacheEntry = { token: Token; untilMs: number }

export class Tokens {
  readonly #pool: pg.Pool
  readonly #cache = new BoundedMap<CacheEntry>(CACHED_MAX)

  constructor(primary: pg.Pool) {
    this.#pool = primary
  }

  /** `fresh` asks Postgres in any case: a write proves that it is there before anything is handed over. */
  async find(secret: string, { fresh }: { fresh: boolean }): Promise<Token | undefined> {
    if (!isWellFormedToken(secret)) return undefined
    const hash = hashToken(secret)
    const key = hash.toString('base64')
    const known = this.#cache.get(key)
    const now = Date.now()
    if (!fresh && known && known.untilMs > now) return known.token
    this.#cache.delete(key)
    const token = await this.#findByHash(hash)
    if (token) this.#cache.set(key, { token, untilMs: now + CACHED_MS })
    return token
  }

  async #findByHash(hash: Buffer): Promise<Token | undefined> {
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
}
