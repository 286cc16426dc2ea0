// Tests that batches start in order and one after the other, and that a slow or failed batch does not hold back the next one.
import { expect } from 'chai'
import { Batcher } from '../../../shared/utilities/batcher.ts'
import { eventually } from '../../support/time.ts'

// Longer than a test may take.
const NEVER_MS = 3_600_000

describe('a batcher', () => {
  let started: string[]
  let ends: Array<() => void>
  const record = (items: string[], end: () => void) => {
    started.push(items.join(''))
    ends.push(end)
  }

  beforeEach(() => {
    started = []
    ends = []
  })
  // Ends the timers of batches that are still under way.
  afterEach(() => {
    for (const end of ends) end()
  })

  it('starts the first item at once, and the others in order, in batches of at most three', () => {
    const batcher = new Batcher<string>({ sizeMax: 3, slowMs: NEVER_MS, start: record })
    for (const items of ['a', 'b', 'cdef', 'g']) batcher.add([...items])
    expect(started).to.deep.equal(['a'])
    ends[0]?.()
    expect(started).to.deep.equal(['a', 'bcd'])
    // The second call of the same function has no effect.
    ends[0]?.()
    expect(started).to.deep.equal(['a', 'bcd'])
    ends[1]?.()
    ends[2]?.()
    expect(started).to.deep.equal(['a', 'bcd', 'efg'])
    batcher.add(['h'])
    expect(started.at(-1)).to.equal('h')
  })

  it('starts the next batch while a slow batch runs, and starts no further batch when the slow batch ends', async () => {
    const options = {
      sizeMax: 3,
      slowMs: 1,
      start(items: string[], end: () => void) {
        // Only the first batch becomes slow.
        options.slowMs = NEVER_MS
        record(items, end)
      },
    }
    const batcher = new Batcher(options)
    batcher.add(['a'])
    batcher.add(['b'])
    expect(started).to.deep.equal(['a'])
    await eventually(() => expect(started).to.deep.equal(['a', 'b']))
    batcher.add(['c'])
    ends[0]?.()
    expect(started).to.deep.equal(['a', 'b'])
    ends[1]?.()
    expect(started).to.deep.equal(['a', 'b', 'c'])
  })

  it('starts the next batch even if a batch fails to start', async () => {
    const start = (items: string[], end: () => void) => {
      if (items.includes('a')) throw new Error('It cannot start')
      record(items, end)
    }
    const batcher = new Batcher({ sizeMax: 3, slowMs: 1, start })
    expect(() => batcher.add(['a'])).to.throw('It cannot start')
    batcher.add(['b'])
    await eventually(() => expect(started).to.deep.equal(['b']))
  })
})
