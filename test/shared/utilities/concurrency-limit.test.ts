// Places that are taken and given back: never more than there are, in the order in which they were asked for.
import { expect } from 'chai'
import { ConcurrencyLimit } from '../../../shared/utilities/concurrency-limit.ts'

describe('a limit of what runs at once', () => {
  it('lets the next one in when a place is given back, in order, and counts each once', async () => {
    const limit = new ConcurrencyLimit(2)
    const [first, second] = [await limit.take(0), await limit.take(0)]
    const order: number[] = []
    const waiting = [3, 4].map(async (number) => {
      const giveBack = await limit.take(60_000)
      order.push(number)
      return giveBack
    })
    first?.()
    first?.()
    await waiting[0]
    expect(order).to.deep.equal([3])
    second?.()
    for (const each of waiting) (await each)?.()
    expect(order).to.deep.equal([3, 4])
    expect(limit.isIdle).to.equal(true)
  })

  it('gives nothing to who has waited long enough, and loses no place by it', async () => {
    const limit = new ConcurrencyLimit(1)
    const giveBack = await limit.take(0)
    expect(await limit.take(1)).to.equal(undefined)
    giveBack?.()
    expect(await limit.take(0)).to.be.a('function')
  })
})
