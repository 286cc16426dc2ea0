// Tests how failed sign-ins are counted: per account (in any spelling of its e-mail) and per network, but
// never against a browser that has signed in before.
import { createHook } from 'node:async_hooks'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { expect } from 'chai'
import {
  createKnownBrowser,
  KNOWN_BROWSER_SECONDS,
} from '../../../../../gateway/web/sessions/known-browsers.ts'
import { SignIns, SignInThrottle } from '../../../../../gateway/web/sessions/sign-ins.ts'
import { Refusal } from '../../../../../shared/messages/refusal.ts'
import { createFastHash } from '../../../../support/dashboard/administrators.ts'
import { usePool } from '../../../../support/databases.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const COUNTED_KEYS_MAX = 12
const EMAIL = 'turing@example.com'

describe('failed sign-ins', () => {
  const world = useWorld({ workers: [] })
  const pool = usePool(world)
  let nowMs = Date.now()
  const accounts = new Map<string, { id: number; passwordHash: string }>()
  before(async () => {
    for (const email of [EMAIL, 'other@example.com']) {
      const passwordHash = createFastHash('right')
      const [row] = await world
        .database('admins')
        .insert({ email, password_hash: passwordHash })
        .returning('id')
      accounts.set(email, { id: row.id, passwordHash })
    }
  })
  const account = (email: string) => accounts.get(email) ?? expect.fail(email)

  /** The test's clock advances only when a caller has to wait. */
  function createSignIns(keysMax = COUNTED_KEYS_MAX): { signIns: SignIns; waits: number[] } {
    const waits: number[] = []
    const wait = async (ms: number) => {
      waits.push(ms)
      nowMs += ms
    }
    return { signIns: new SignIns(pool, () => nowMs, { keysMax, wait }), waits }
  }

  async function createExhausted() {
    const made = createSignIns()
    for (let number = 0; number < 60; number++)
      expect(await made.signIns.check(EMAIL, 'wrong', { address: `10.0.0.${number % 3}` })).to.equal(
        undefined,
      )
    expect(made.waits).to.deep.equal([])
    return made
  }

  async function isRefused(signIns: SignIns, address: string, knownBrowser?: string): Promise<boolean> {
    const answer = await signIns
      .check(EMAIL, 'wrong', { address, knownBrowser })
      .catch((error: unknown) => error)
    return answer instanceof Refusal && answer.code === 'rate_limited'
  }

  it('count for one account, in any spelling of its e-mail', async () => {
    for (const email of ['TURING@example.com', 'TUR\u0130NG@example.com', 'tur\u0130ng@example.com']) {
      const { signIns, waits } = await createExhausted()
      await signIns.check(email, 'wrong', { address: '10.0.1.1' })
      expect(waits, email).to.have.length(1)
    }
  })

  it('still count after many other people have signed in', async () => {
    const { signIns, waits } = await createExhausted()
    for (let number = 0; number < 2 * COUNTED_KEYS_MAX; number++)
      expect(
        await signIns.check('other@example.com', 'right', { address: `10.0.2.${number}` }),
      ).to.have.property('id')
    expect(waits).to.have.length(0)
    await signIns.check(EMAIL, 'wrong', { address: '10.0.1.1' })
    expect(waits).to.have.length(1)
  })

  it('slow an account down after failures from three addresses, but the right password still works', async () => {
    const { signIns, waits } = await createExhausted()
    for (const address of ['10.0.0.0', '10.0.0.1', '10.0.0.2'])
      expect(await isRefused(signIns, address), address).to.equal(true)
    expect(await signIns.check(EMAIL, 'right', { address: '10.0.1.1' })).to.have.property('id')
    expect(waits).to.deep.equal([5_000])
  })

  it('are checked one by one if simultaneous, starting with the address with the fewest failures', async () => {
    const turns: Array<() => void> = []
    const throttle = new SignInThrottle(() => new Promise((resolve) => turns.push(resolve)))
    const order: string[] = []
    const attempts = [7, 9, 8, 9, 1, 2].map((failures, index) =>
      throttle.pass(failures).then(
        () => order.push(`${index} passes`),
        (error) => order.push(`${index} is refused: ${error.code}`),
      ),
    )
    for (let number = 0; number < 4; number++) {
      await eventually(() => expect(turns).to.have.length(number + 1))
      turns[number]?.()
      await eventually(() => expect(order).to.have.length(number + 3))
    }
    await Promise.all(attempts)
    expect(order).to.deep.equal([
      '3 is refused: rate_limited',
      '1 is refused: rate_limited',
      '4 passes',
      '5 passes',
      '0 passes',
      '2 passes',
    ])
  })

  it('do not slow down a browser that has signed in before, wherever it is now', async () => {
    const { signIns, waits } = await createExhausted()
    const known = createKnownBrowser(account(EMAIL), nowMs)
    const found = await signIns.check(EMAIL, 'right', { address: '10.0.0.1', knownBrowser: known })
    expect(found).to.have.property('id')
    expect(waits).to.deep.equal([])
    // A browser with the cookie gets as many attempts as an IP address, so a stolen cookie does not help to
    // guess passwords.
    for (let number = 0; number < 20; number++)
      expect(await isRefused(signIns, '10.0.0.1', known)).to.equal(false)
    expect(await isRefused(signIns, '10.0.0.1', known)).to.equal(true)
  })

  it('slow down a browser whose cookie is invalid, old or of another account or password', async () => {
    const { signIns } = await createExhausted()
    const own = account(EMAIL)
    const good = createKnownBrowser(own, nowMs)
    const [browser = '', , signature = ''] = good.split('.')
    const strangers = {
      another: createKnownBrowser(account('other@example.com'), nowMs),
      'an old password': createKnownBrowser({ ...own, passwordHash: createFastHash('old') }, nowMs),
      'long ago': createKnownBrowser(own, nowMs - KNOWN_BROWSER_SECONDS * 1000 - 1000),
      'made longer': `${browser}.99999999999.${signature}`,
      nobody: 'x',
    }
    for (const [title, cookie] of Object.entries(strangers))
      expect(await isRefused(signIns, '10.0.0.1', cookie), title).to.equal(true)
    expect(await isRefused(signIns, '10.0.0.1', good)).to.equal(false)
  })

  it('count for a whole /64 network, and for an IPv4 address in any notation', async () => {
    const { signIns } = createSignIns()
    // The account has a cheap password hash, so that the test is fast.
    const fail = (address: string) => signIns.check('other@example.com', 'wrong', { address })
    for (let number = 0; number < 10; number++) {
      await fail(`2001:db8:0:7::${number}`)
      await fail(`2001:0DB8::7:aaaa:0:0:${number}`)
      await fail('192.0.2.1')
      await fail('::ffff:192.0.2.1')
    }
    for (const address of ['2001:db8:0:7:ffff::1', '192.0.2.1', '::ffff:192.0.2.1'])
      expect(await isRefused(signIns, address), address).to.equal(true)
    for (const address of ['2001:db8:0:8::1', '192.0.2.2', '::1'])
      expect(await isRefused(signIns, address), address).to.equal(false)
  })

  it('cost one password hash each, even for an unknown e-mail and for a first attempt', async () => {
    let hashes = 0
    const init = (_: number, type: string) => {
      if (type === 'SCRYPTREQUEST') hashes++
    }
    const hook = createHook({ init }).enable()
    try {
      await createSignIns().signIns.check('nobody@example.com', 'wrong', { address: '10.0.0.1' })
      expect(hashes).to.equal(1)
      await createSignIns().signIns.check(EMAIL, 'wrong', { address: '10.0.0.1' })
      expect(hashes).to.equal(2)
    } finally {
      hook.disable()
    }
  })

  it('run no query once an IP address is slowed down, and compute one signature for every e-mail, known or not', async () => {
    let queries = 0
    const counting = new Proxy(pool, {
      get(target, key) {
        if (key === 'query') queries++
        const value = Reflect.get(target, key)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const signIns = new SignIns(counting, () => nowMs, { wait: async () => undefined })
    for (let number = 0; number < 20; number++) await signIns.check(EMAIL, 'wrong', { address: '10.0.3.1' })
    expect(queries).to.equal(20)
    expect(await isRefused(signIns, '10.0.3.1')).to.equal(true)
    expect(await isRefused(signIns, '10.0.3.1', 'x')).to.equal(true)
    expect(queries).to.equal(20)

    const { createHmac } = crypto
    let signatures = 0
    crypto.createHmac = (...args: Parameters<typeof createHmac>) => {
      signatures++
      return createHmac(...args)
    }
    syncBuiltinESMExports()
    try {
      const knownBrowser = createKnownBrowser(account('other@example.com'), nowMs)
      for (const email of [EMAIL, 'nobody@example.com']) {
        signatures = 0
        await signIns.check(email, 'wrong', { address: '10.0.3.2', knownBrowser })
        expect(signatures, email).to.equal(1)
      }
    } finally {
      crypto.createHmac = createHmac
      syncBuiltinESMExports()
    }
  })
})
