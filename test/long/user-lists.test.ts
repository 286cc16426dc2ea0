// Tests the properties of imported user lists in several hundred runs.
import { testPropertiesOfUserLists } from '../workers/jobs/imports/properties/user-lists.ts'

describe('any user list, in hundreds of runs', function () {
  this.timeout(1_800_000)
  testPropertiesOfUserLists(Number(process.env.RUNS ?? 300))
})
