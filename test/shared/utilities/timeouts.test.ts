// Tests withTimeout, which waits for work with a time limit.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect } from 'chai'
import { withTimeout } from '../../../shared/utilities/timeouts.ts'

const never = new Promise<string>(() => undefined)

describe('withTimeout', () => {
  it('returns the result of the work, or throws its error', async () => {
    expect(await withTimeout(Promise.resolve('done'), 60_000, () => 'late')).to.equal('done')
    const failure = await withTimeout(Promise.reject(new Error('broken')), 60_000, () => 'late').catch(String)
    expect(failure).to.equal('Error: broken')
  })

  it('returns or throws the given timeout value if the work takes too long', async () => {
    expect(await withTimeout(never, 1, () => 'late')).to.equal('late')
    const failure = await withTimeout(never, 1, () => {
      throw new Error('Timed out.')
    }).catch(String)
    expect(failure).to.equal('Error: Timed out.')
  })

  it('accepts a result that arrived in time, even if the blocked process reads it late', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const asking = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [answering] = (await once(server, 'connection')) as [Socket]
    try {
      const answer = once(asking, 'data').then(([bytes]) => String(bytes))
      const waited = withTimeout(answer, 20, () => 'late')
      answering.write('in time')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
      expect(await waited).to.equal('in time')
    } finally {
      asking.destroy()
      answering.destroy()
      server.close()
    }
  })
})
