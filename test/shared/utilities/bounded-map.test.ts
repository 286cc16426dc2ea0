// Tests a map that removes its oldest entry before it exceeds its size.
import { expect } from 'chai'
import { BoundedMap } from '../../../shared/utilities/caches.ts'

describe('a bounded map', () => {
  it('removes the oldest entry when a new one exceeds its size', () => {
    const map: BoundedMap<number> = new BoundedMap(2)
    map.set('a', 1)
    map.set('b', 2)
    map.set('c', 3)
    expect([map.get('a'), map.get('b'), map.get('c')]).to.deep.equal([undefined, 2, 3])
  })

  it('treats an entry that is set again as the newest, without removing another', () => {
    const map: BoundedMap<number> = new BoundedMap(2)
    map.set('a', 1)
    map.set('b', 2)
    map.set('a', 3)
    expect([map.get('a'), map.get('b')]).to.deep.equal([3, 2])
    map.set('c', 4)
    expect([map.get('a'), map.get('b'), map.get('c')]).to.deep.equal([3, undefined, 4])
  })

  it('accepts a new entry after another is deleted', () => {
    const map: BoundedMap<number> = new BoundedMap(1)
    map.set('a', 1)
    map.delete('a')
    map.set('b', 2)
    expect([map.get('a'), map.get('b')]).to.deep.equal([undefined, 2])
  })
})
