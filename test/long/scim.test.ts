// Runs a SCIM provisioning cycle with 20,000 people, and measures its rate.
import { compareCycleWithImports } from '../gateway/api/scim/provisioning-cycle.ts'
import { useScim } from '../support/http/scim.ts'
import { useWorld } from '../support/world.ts'

const PEOPLE = Number(process.env.PEOPLE ?? 20_000)

describe('a SCIM provisioning cycle', function () {
  this.timeout(3_600_000)
  const world = useWorld({
    workers: ['writes', 'imports'],
    environment: { RATE_LIMIT_PER_MINUTE: '10000000' },
  })
  const scim = useScim(world)

  it(`creates the same ${PEOPLE} people as an import does`, async () => {
    const { createdMs, changedMs } = await compareCycleWithImports(world, scim, PEOPLE)
    const rate = (ms: number) => `${((PEOPLE / ms) * 1_000).toFixed(0)} people a second`
    console.log(
      `      searched, created and put into groups: ${rate(createdMs)}; searched and changed: ${rate(changedMs)}`,
    )
  })
})
