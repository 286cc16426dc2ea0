// Tests that calls in one turn of the event loop are combined into one query.
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { BatchLoader } from '../../../shared/utilities/shared-look-ups.ts'

describe('a batch loader', () => {
  it('queries once for all callers in the same turn of the event loop', async () => {
    const runs: string[][] = []
    const gathered = new BatchLoader(async (keys) => {
      runs.push(keys)
      return new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, key.toUpperCase()]))
    })
    const first = ['a', 'b', 'unknown', 'a'].map((key) => gathered.ask(key))
    await turn()
    await turn()
    const second = gathered.ask('c')
    expect(await Promise.all([...first, second])).to.deep.equal(['A', 'B', undefined, 'A', 'C'])
    expect(runs).to.deep.equal([['a', 'b', 'unknown'], ['c']])
  })

  it('fails for all callers of a batch together, and can be used again', async () => {
    let isAway = true
    const gathered = new BatchLoader(async (keys) => {
      if (isAway) throw new Error('away')
      return new Map(keys.map((key) => [key, key]))
    })
    const asked = await Promise.allSettled([gathered.ask('a'), gathered.ask('b')])
    expect(asked.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    isAway = false
    expect(await gathered.ask('a')).to.equal('a')
  })
})
