// How failures to sign in are counted: for an account however its e-mail is written, and whoever else signs in meanwhile.

import { expect } from 'chai'
import { SignIns } from '../../../../gateway/dashboard/framework/sessions/sign-ins.ts'
import { Refusal } from '../../../../shared/refusal.ts'
import { cheapHash } from '../../../support/dashboard/administrators.ts'
import { usePool } from '../../../support/databases.ts'
import { useWorld } from '../../../support/world.ts'

const KEYS_MAX = 12

describe('failures to sign in', () => {
  const world = useWorld({ workers: [] })
  const pool = usePool(world)
  before(async () => {
    for (const email of ['turing@example.com', 'other@example.com'])
      await world.database('admins').insert({ email, password_hash: cheapHash('right') })
  })

  async function createExhausted(): Promise<SignIns> {
    const signIns = new SignIns(pool, Date.now, KEYS_MAX)
    for (let number = 0; number < 60; number++)
      expect(await signIns.check('turing@example.com', 'wrong', `10.0.0.${number % 4}`)).to.equal(undefined)
    return signIns
  }

  async function isRefused(signIns: SignIns, email: string): Promise<boolean> {
    const answer = await signIns.check(email, 'wrong', '10.0.1.1').catch((error: unknown) => error)
    return answer instanceof Refusal && answer.code === 'rate_limited'
  }

  it('are those of one account, however its e-mail is written', async () => {
    for (const email of ['TURING@example.com', 'TUR\u0130NG@example.com', 'tur\u0130ng@example.com'])
      expect(await isRefused(await createExhausted(), email), email).to.equal(true)
  })

  it('are not forgotten because many others sign in', async () => {
    const signIns = await createExhausted()
    for (let number = 0; number < 2 * KEYS_MAX; number++)
      expect(await signIns.check('other@example.com', 'right', `10.0.2.${number}`)).to.have.property('id')
    expect(await isRefused(signIns, 'turing@example.com')).to.equal(true)
  })
})
