// Tests that the time to refuse a token reveals nothing: unknown, revoked and expired tokens take the same steps. The
// tests count the steps, because a clock would measure the machine.
import { expect } from 'chai'
import type pg from 'pg'
import { Tokens } from '../../../gateway/auth/tokens.ts'
import type { PreparedQuery } from '../../../gateway/reads/connections/point-reads.ts'
import { createToken, generateToken, revokeToken } from '../../../shared/tokens/token-store.ts'
import { usePool } from '../../support/databases.ts'
import { Client } from '../../support/http/http.ts'
import { useWorld } from '../../support/world.ts'

describe('checking a token', () => {
  const world = useWorld({ workers: [] })
  const pool = usePool(world)

  const newToken = (changes = {}) =>
    createToken(world.database, { name: 'test', abilities: ['read'], createdBy: 'test', ...changes })

  const revoked = async () => {
    const { id, token } = await newToken()
    await revokeToken(world.database, id)
    return token
  }
  const expired = async () => (await newToken({ expiresAt: '2020-01-01T00:00:00Z' })).token

  /** Returns the SQL statements with which the gateway looks up a token. */
  async function statementsFor(secret: string, fresh: boolean): Promise<string[]> {
    const statements: string[] = []
    const counting = countingPool(({ name, text, values }) =>
      statements.push(`${name} ${text} ${values.length}`),
    )
    await new Tokens(counting).find(secret, { fresh })
    return statements
  }

  function countingPool(count: (query: PreparedQuery) => void): pg.Pool {
    const query = (asked: PreparedQuery) => {
      count(asked)
      return pool.query(asked)
    }
    return Object.create(pool, { query: { value: query } }) as pg.Pool
  }

  it('runs the same SQL statement for an unknown, revoked, expired or valid token', async () => {
    const [first, ...others] = await Promise.all([
      statementsFor(generateToken(), false),
      statementsFor(generateToken(), true),
      statementsFor(await revoked(), false),
      statementsFor(await expired(), false),
      statementsFor((await newToken()).token, false),
    ])
    expect(first).to.have.length(1)
    expect(first?.[0]).to.include('WHERE (hash = $1 OR (previous_hash = $1')
    for (const each of others) expect(each).to.deep.equal(first)
  })

  it('runs one SQL statement for simultaneous requests; for writes, the statement begins after they arrive', async () => {
    const { token } = await newToken()
    let asked = 0
    const tokens = new Tokens(
      countingPool(() => {
        asked++
      }),
    )
    const found = await Promise.all(Array.from({ length: 20 }, () => tokens.find(token, { fresh: false })))
    expect(new Set(found.map((each) => each?.name))).to.deep.equal(new Set(['test']))
    expect(asked).to.equal(1)
    await tokens.find(token, { fresh: true })
    expect(asked).to.equal(2)
    // The first lookup starts before the later requests arrive, so its result may be too old for them.
    await Promise.all(Array.from({ length: 3 }, () => tokens.find(token, { fresh: true })))
    expect(asked).to.equal(4)
  })

  it('runs no statement if the checksum is wrong, because anybody can compute checksums', async () => {
    const token = generateToken()
    const wrong = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
    for (const secret of [wrong, 'berth_x', 'x']) expect(await statementsFor(secret, true)).to.deep.equal([])
  })

  it('answers every refused token with the same bytes, except for the request id', async () => {
    const answers = await Promise.all(
      [generateToken(), await revoked(), await expired(), 'berth_x'].map(async (token) => {
        const { status, headers, json } = await new Client(world.url, token).get('groups')
        const names = ['content-type', 'content-length', 'www-authenticate', 'vary', 'ratelimit']
        return { status, headers: names.map((name) => headers.get(name)), body: { ...json, request_id: '' } }
      }),
    )
    for (const answer of answers) expect(answer).to.deep.equal(answers[0])
  })
})
