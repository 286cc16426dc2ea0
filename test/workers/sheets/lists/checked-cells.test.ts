// Checks that the length limit of a text counts all kinds of characters correctly.
import { expect } from 'chai'
import { CheckedCells } from '../../../../workers/sheets/lists/checked-cells.ts'

describe('the maximum length of a cell in an import', () => {
  for (const [kind, character] of Object.entries({ 'plain text': 'a', 'other letters': 'ß', emoji: '😀' })) {
    it(`counts each character of ${kind} as one`, () => {
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
