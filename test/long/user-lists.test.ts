// The properties of every user list, tested some hundred times.
import { provePropertiesOfUserLists } from '../workers/jobs/imports/properties/user-lists.ts'

describe('any user list, in hundreds of runs,', function () {
  this.timeout(1_800_000)
  provePropertiesOfUserLists(Number(process.env.RUNS ?? 300))
})
