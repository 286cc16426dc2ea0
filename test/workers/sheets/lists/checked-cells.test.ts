// The limit of a text applies whatever its characters are.
import { expect } from 'chai'
import { CheckedCells } from '../../../../workers/sheets/lists/checked-cells.ts'

describe('the length of a cell', () => {
  for (const [kind, character] of Object.entries({ 'plain text': 'a', 'other letters': 'ß', emoji: '😀' })) {
    it(`is limited for ${kind}`, () => {
      for (const max of [1, 10, 254, 255, 256, 1_024]) {
        const cells = new CheckedCells({ number: 2, cells: [] }, new Map())
        const fits = character.repeat(max)
        expect(cells.checkText('name', 'name', fits, max)).to.equal(fits)
        expect(cells.checkText('name', 'name', `${fits}${character}`, max)).to.equal(null)
        expect(cells.toJson()).to.include('must be at most')
      }
    })
  }
})
