// Tests the fair concurrency limit: it never exceeds its slots, grants them in order, and shares them fairly
// among the owners.
import { expect } from 'chai'
import { FairLimit } from '../../../gateway/overload/fair-limit.ts'

const LONG_WAIT_MS = 60_000

describe('a fair concurrency limit', () => {
  const limitOf = (max: number, options = {}) => new FairLimit({ max: () => max, ...options })

  it('starts the next waiter when a slot is released, in order of arrival, and counts each release once', async () => {
    const limit = limitOf(2)
    const [first, second] = [await limit.take({ waitMs: 0 }), await limit.take({ waitMs: 0 })]
    const order: number[] = []
    const waiting = [3, 4].map(async (number) => {
      const release = await limit.take({ waitMs: LONG_WAIT_MS })
      order.push(number)
      return release
    })
    expect([limit.underWay, limit.waiting]).to.deep.equal([2, 2])
    first?.()
    first?.()
    await waiting[0]
    expect(order).to.deep.equal([3])
    second?.()
    for (const each of waiting) (await each)?.()
    expect(order).to.deep.equal([3, 4])
    expect([limit.underWay, limit.waiting]).to.deep.equal([0, 0])
  })

  it('gives no slot to a waiter that timed out, and loses no slot', async () => {
    const limit = limitOf(1)
    const release = await limit.take({ waitMs: 0 })
    expect(await limit.take({ waitMs: 1 })).to.equal(undefined)
    release?.()
    expect(await limit.take({ waitMs: 0 })).to.be.a('function')
  })

  it('gives all slots to a single owner, and gives a second owner its share immediately', async () => {
    const limit = limitOf(4)
    for (let place = 0; place < 4; place++) {
      expect(await limit.take({ owner: 'greedy', waitMs: 0 })).to.be.a('function')
    }
    expect(await limit.take({ owner: 'greedy', waitMs: 1 })).to.equal(undefined)
    for (let place = 0; place < 2; place++) {
      expect(await limit.take({ owner: 'other', waitMs: 0 })).to.be.a('function')
    }
    expect(await limit.take({ owner: 'other', waitMs: 1 }), 'more than its share').to.equal(undefined)
  })

  it('gives the next slot to the owner with the least work in progress, by weight', async () => {
    const limit = limitOf(3)
    const order: string[] = []
    const take = async (owner: string, weight = 1) => {
      const release = await limit.take({ owner, weight, waitMs: LONG_WAIT_MS })
      order.push(owner)
      return release
    }
    const begun = [await take('greedy', 100), await take('small'), await take('small')]
    const waiting = [take('greedy'), take('greedy'), take('small')]
    begun[1]?.()
    await waiting[2]
    expect(order).to.deep.equal(['greedy', 'small', 'small', 'small'])
    begun[0]?.()
    await Promise.all(waiting)
    expect(limit.underWay).to.equal(4)
  })

  it('limits waiting requests in total and per owner, and names the owner whose queue is full', async () => {
    const limit = limitOf(1, { waitingMax: () => 2 })
    const take = (owner: string) => limit.take({ owner, waitMs: LONG_WAIT_MS })
    await take('greedy')
    const waiting = [take('greedy'), take('greedy')]
    expect([limit.isFull, limit.isFullFor('greedy'), limit.isFullFor('other')]).to.deep.equal([
      true,
      true,
      false,
    ])
    expect(await take('greedy')).to.equal(undefined)
    const other = await take('other')
    expect(other, 'has less than its share').to.be.a('function')
    waiting.push(take('other'))
    expect(await take('other')).to.equal(undefined)
    other?.()
    expect(await waiting[2]).to.be.a('function')
  })

  it('limits the slots of each owner, and gives the remaining slots to others', async () => {
    const limit = limitOf(3, { ownMax: 1 })
    const first = await limit.take({ owner: 'one', waitMs: 0 })
    expect(await limit.take({ owner: 'one', waitMs: 1 })).to.equal(undefined)
    expect(await limit.take({ owner: 'two', waitMs: 0 })).to.be.a('function')
    const again = limit.take({ owner: 'one', waitMs: LONG_WAIT_MS })
    first?.()
    expect(await again).to.be.a('function')
  })
})
