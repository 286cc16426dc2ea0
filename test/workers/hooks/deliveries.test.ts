// Tests which due deliveries a process sends next.
import { expect } from 'chai'
import { leaseDueDeliveries } from '../../../workers/hooks/deliveries.ts'
import { createDelivery, createWebhook } from '../../support/dashboard/webhook-examples.ts'
import { useConnection, useDatabase } from '../../support/databases.ts'

describe('due webhook deliveries', () => {
  const database = useConnection(useDatabase({ each: true }))

  const due = (webhook: number, minutesAgo: number) =>
    createDelivery(database, webhook, { next_at: new Date(Date.now() - minutesAgo * 60_000) })
  const take = async (limits: { perWebhook?: number; atOnce?: number; busy?: Map<number, number> } = {}) => {
    const taken = await leaseDueDeliveries(database, {
      perWebhook: 5,
      atOnce: 100,
      busy: new Map(),
      ...limits,
    })
    return taken.map(({ id }) => id)
  }

  it('are claimed in the order of their due times, up to a limit', async () => {
    const [one, other] = [await createWebhook(database), await createWebhook(database)]
    const late = await due(one, 1)
    const [first, second] = [await due(other, 9), await due(one, 8)]
    await due(other, -1)
    expect((await take({ atOnce: 2 })).sort()).to.deep.equal([first, second].sort())
    expect(await take()).to.deep.equal([late])
    expect(await take()).to.deep.equal([])
  })

  it('are limited for each webhook, including those already being sent', async () => {
    const [slow, quick] = [await createWebhook(database), await createWebhook(database)]
    for (let count = 0; count < 8; count += 1) await due(slow, 9)
    const theirs = await due(quick, 1)
    const taken = await take({ busy: new Map([[slow, 2]]) })
    expect(taken).to.have.length(4).and.to.include(theirs)
    expect(await take({ busy: new Map([[slow, 5]]) })).to.deep.equal([])
  })

  it('are not claimed if their webhook is switched off', async () => {
    await due(await createWebhook(database, { enabled: false }), 1)
    expect(await take()).to.deep.equal([])
  })

  it('are released after a minute if the process that claimed them has died', async () => {
    const delivery = await due(await createWebhook(database), 1)
    expect(await take()).to.deep.equal([delivery])
    const { next_at } = await database('webhook_deliveries').first()
    expect(Date.parse(next_at) - Date.now()).to.be.within(30_000, 61_000)
    await database('webhook_deliveries').update({ next_at: new Date() })
    expect(await take()).to.deep.equal([delivery])
  })
})
