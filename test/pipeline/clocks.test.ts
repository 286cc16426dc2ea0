// Tests machines whose clocks differ by more than the deadline of a write: writes still succeed, and Berth reports
// which clock is wrong.
import { expect } from 'chai'
import { createSlot } from '../support/faults/pipeline.ts'
import { eventually, promised } from '../support/time.ts'
import { useClient, useWorld } from '../support/world.ts'

const CLOCK_ERROR_MS = 60_000

const describeClock = (whose: string, aheadMs: number) =>
  `The clock of ${whose} machine is 60.0 s ${aheadMs > 0 ? 'ahead of' : 'behind'} Postgres’s.`
const roundSeconds = (text = '') => text.replace(/\d+\.\d/, '60.0')

for (const [title, gatewayMs, workersMs] of [
  ['behind at the gateway, and ahead at the workers', -CLOCK_ERROR_MS, CLOCK_ERROR_MS],
  ['ahead at the gateway, and behind at the workers', CLOCK_ERROR_MS, -CLOCK_ERROR_MS],
] as const) {
  describe(`a clock that is a minute ${title}`, () => {
    const logged: Array<{ name?: string; msg?: string }> = []
    const world = useWorld({
      environment: { WRITE_WAIT_MS: String(promised(3_000)) },
      now: () => Date.now() + gatewayMs,
      workersNow: () => Date.now() + workersMs,
      onLog: (line) => logged.push(JSON.parse(line)),
    })
    const client = useClient(world)

    it('does not delay any write', async () => {
      const answer = await client.post('bookings', await createSlot(world))
      expect([answer.status, answer.json.code]).to.deep.equal([200, undefined])
    })

    it('is reported in the logs and at /readyz, which still reports that Berth is ready', async () => {
      await eventually(async () => {
        const { status, json } = await client.get('/readyz')
        expect(status).to.equal(200)
        expect(roundSeconds(json.clock.detail)).to.equal(describeClock('this', gatewayMs))
        const told = logged.filter(({ msg }) => msg?.startsWith('The clock of this machine'))
        expect(told.map(({ msg }) => roundSeconds(msg))).to.have.members([
          describeClock('this', gatewayMs),
          describeClock('this', workersMs),
        ])
      })
    })

    it('is reported at /readyz of a correct gateway if the clock belongs to a worker', async () => {
      const { url } = await world.startGateway({}, Date.now)
      await eventually(async () => {
        const { clock } = (await (await fetch(`${url}/readyz`)).json()) as {
          clock: { ok: boolean; detail?: string }
        }
        expect([clock.ok, roundSeconds(clock.detail)]).to.deep.equal([
          false,
          describeClock('a worker’s', workersMs),
        ])
      })
    })
  })
}
