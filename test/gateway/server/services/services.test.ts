// The services of a gateway: the settings of its connections.
import { expect } from 'chai'
import { OPEN } from '../../../../gateway/overload/admission.ts'
import { openServices } from '../../../../gateway/server/services/services.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { useWith } from '../../../support/use.ts'
import { useWorld } from '../../../support/world.ts'

describe('the connections of the gateway', () => {
  const world = useWorld({ workers: [] })
  const services = useWith(
    world,
    () => openServices(world.config, createLog('test', 'silent')),
    (opened) => opened.close(),
  )

  it('never use JIT compilation, which takes longer than running a statement', async () => {
    const streams = await services.reads.read(OPEN, undefined, async (connections) => connections.streams)
    for (const pool of [services.primary, streams]) {
      const { rows } = await pool.query(`SELECT setting, source FROM pg_settings WHERE name = 'jit'`)
      // The source shows that the client sets it, not the server that the suite starts.
      expect(rows).to.deep.equal([{ setting: 'off', source: 'client' }])
    }
  })
})
