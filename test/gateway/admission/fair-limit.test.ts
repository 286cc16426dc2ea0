// Places that are taken and given back: never more than there are, in the order in which they were asked for, and shared
// fairly among those who ask.
import { expect } from 'chai'
import { FairLimit } from '../../../gateway/admission/fair-limit.ts'

const LONG_MS = 60_000

describe('a limit of what is under way at once', () => {
  const limitOf = (max: number, options = {}) => new FairLimit({ max: () => max, ...options })

  it('lets the next one begin when a place is given back, in order, and counts each once', async () => {
    const limit = limitOf(2)
    const [first, second] = [await limit.take({ waitMs: 0 }), await limit.take({ waitMs: 0 })]
    const order: number[] = []
    const waiting = [3, 4].map(async (number) => {
      const giveBack = await limit.take({ waitMs: LONG_MS })
      order.push(number)
      return giveBack
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

  it('gives nothing to who has waited long enough, and loses no place by it', async () => {
    const limit = limitOf(1)
    const giveBack = await limit.take({ waitMs: 0 })
    expect(await limit.take({ waitMs: 1 })).to.equal(undefined)
    giveBack?.()
    expect(await limit.take({ waitMs: 0 })).to.be.a('function')
  })

  it('lets an owner who is alone have all of it, and another one its share at once', async () => {
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

  it('gives the next place to the owner with the least under way, by weight', async () => {
    const limit = limitOf(3)
    const order: string[] = []
    const take = async (owner: string, weight = 1) => {
      const giveBack = await limit.take({ owner, weight, waitMs: LONG_MS })
      order.push(owner)
      return giveBack
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

  it('lets so much wait, of each owner its share, and says for whom there is no room', async () => {
    const limit = limitOf(1, { waitingMax: () => 2 })
    const take = (owner: string) => limit.take({ owner, waitMs: LONG_MS })
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

  it('never gives an owner more than is allowed for each, and others what is left', async () => {
    const limit = limitOf(3, { ownMax: 1 })
    const first = await limit.take({ owner: 'one', waitMs: 0 })
    expect(await limit.take({ owner: 'one', waitMs: 1 })).to.equal(undefined)
    expect(await limit.take({ owner: 'two', waitMs: 0 })).to.be.a('function')
    const again = limit.take({ owner: 'one', waitMs: LONG_MS })
    first?.()
    expect(await again).to.be.a('function')
  })
})
