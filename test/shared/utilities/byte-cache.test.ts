// Tests a cache of large values with many readers: it loads each value once, and limits their total size.
import { expect } from 'chai'
import { ByteCache } from '../../../shared/utilities/caches.ts'

describe('a byte cache', () => {
  const load = (bytes: number, loaded: number[] = []) => {
    return async () => {
      loaded.push(bytes)
      return Buffer.alloc(bytes)
    }
  }

  it('loads a value once, even if many callers wait for it', async () => {
    const cache = new ByteCache(100)
    const loaded: number[] = []
    const all = await Promise.all(Array.from({ length: 5 }, () => cache.get('a', load(60, loaded))))
    await cache.get('a', load(60, loaded))
    expect(loaded).to.deep.equal([60])
    expect(new Set(all).size).to.equal(1)
  })

  it('removes the least recently used value when it is full', async () => {
    const cache = new ByteCache(100)
    const loaded: number[] = []
    for (const [key, bytes] of [
      ['a', 40],
      ['b', 41],
      ['a', 40],
      ['c', 42],
      ['a', 40],
      ['b', 41],
    ] as const)
      await cache.get(key, load(bytes, loaded))
    expect(loaded).to.deep.equal([40, 41, 42, 41])
  })

  it('does not store a value that is too large, is missing, or failed to load', async () => {
    const cache = new ByteCache(100)
    const loaded: number[] = []
    for (let time = 0; time < 2; time++) await cache.get('large', load(101, loaded))
    expect(loaded).to.deep.equal([101, 101])
    expect(await cache.get('none', async () => undefined)).to.equal(undefined)
    const failed = await cache.get('none', () => Promise.reject(new Error('away'))).catch((error) => error)
    expect(failed).to.be.an('error')
    expect(await cache.get('none', load(1))).to.have.length(1)
  })
})
