// Tests a whole provisioning cycle. test/long tests it with 20,000 people.
import { useScim } from '../../../support/http/scim.ts'
import { useWorld } from '../../../support/world.ts'
import { compareCycleWithImports } from './provisioning-cycle.ts'

describe('provisioning users by SCIM', function () {
  this.timeout(60_000)
  const world = useWorld({
    workers: ['writes', 'imports'],
    environment: { RATE_LIMIT_PER_MINUTE: '1000000' },
  })
  const scim = useScim(world)

  it('leads to the same people and groups as the import of a file', async () => {
    await compareCycleWithImports(world, scim, 60)
  })
})
