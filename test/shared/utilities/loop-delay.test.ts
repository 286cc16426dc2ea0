// A turn of the event loop that takes long is seen, and so is that it is over.
import { expect } from 'chai'
import { LoopDelay } from '../../../shared/utilities/loop-delay.ts'
import { eventually } from '../../support/time.ts'

describe('the delay of the event loop', () => {
  it('is as long as what holds it up, and short again behind that', async () => {
    const delay = new LoopDelay()
    try {
      await eventually(() => {
        const endMs = performance.now() + 1_000
        while (performance.now() < endMs);
        expect(delay.ms).to.be.above(500)
      })
      await eventually(() => expect(delay.ms).to.be.below(500))
    } finally {
      delay.stop()
    }
  })
})
