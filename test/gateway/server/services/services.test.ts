// Tests the services of a gateway, especially the settings of its database connections.
import { expect } from 'chai'
import { NO_TOKEN_OWNER } from '../../../../gateway/overload/admission.ts'
import { openServices } from '../../../../gateway/server/services/services.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { useWith } from '../../../support/use.ts'
import { useWorld } from '../../../support/world.ts'

describe('the database connections of the gateway', () => {
  const world = useWorld({ workers: [] })
  const services = useWith(
    world,
    () => openServices(world.config, createLog('test', 'silent')),
    (opened) => opened.close(),
  )

  it('never use JIT compilation, which takes longer than running a statement', async () => {
    const streams = await services.reads.read(
      NO_TOKEN_OWNER,
      undefined,
      async (connections) => connections.streams,
    )
    for (const pool of [services.primary, streams]) {
      const { rows } = await pool.query(`SELECT setting, source FROM pg_settings WHERE name = 'jit'`)
      // The source “client” shows that the gateway sets the value, rather than the test server.
      expect(rows).to.deep.equal([{ setting: 'off', source: 'client' }])
    }
  })
})
