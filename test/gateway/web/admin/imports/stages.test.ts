// Tests the names of the phases of an import.
import { expect } from 'chai'
import type { ImportRow } from '../../../../../gateway/web/admin/imports/queries.ts'
import { describePhase } from '../../../../../gateway/web/admin/imports/stages.ts'
import type { ProgressPhase } from '../../../../../shared/schemas/progress.ts'

describe('the phase of an import', () => {
  const describeAs = (name: ImportRow['name'], phase: ProgressPhase) =>
    describePhase({ name, phase, state: 'running' } as ImportRow)

  it('is “Reading the file” before the review, and “Applying changes” after it', () => {
    for (const list of ['users', 'bookables'] as const) {
      expect(describeAs(`${list}.plan-import`, 'reading')).to.equal('Reading the file')
      for (const phase of ['reading', 'checked', 'applying'] as const) {
        expect(describeAs(`${list}.apply-import-plan`, phase), phase).to.equal('Applying changes')
      }
    }
    expect(describeAs('users.apply-import-plan', 'read')).to.equal('Waiting for other imports')
  })
})
