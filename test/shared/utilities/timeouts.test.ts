// Waiting no longer than a given time.
import { expect } from 'chai'
import { withTimeout } from '../../../shared/utilities/timeouts.ts'

const never = new Promise<string>(() => undefined)

describe('withTimeout', () => {
  it('gives what the work comes to, and its failure', async () => {
    expect(await withTimeout(Promise.resolve('done'), 60_000, () => 'late')).to.equal('done')
    const failure = await withTimeout(Promise.reject(new Error('broken')), 60_000, () => 'late').catch(String)
    expect(failure).to.equal('Error: broken')
  })

  it('gives what is said of the timeout, or throws it, where the work takes too long', async () => {
    expect(await withTimeout(never, 1, () => 'late')).to.equal('late')
    const failure = await withTimeout(never, 1, () => {
      throw new Error('Timed out.')
    }).catch(String)
    expect(failure).to.equal('Error: Timed out.')
  })
})
