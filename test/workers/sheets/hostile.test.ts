// Files that are broken, of another kind, or malicious: each is refused with a sentence, quickly and in little memory.
import { expect } from 'chai'
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import { emptyRows, HARMFUL, NO_LIST, SOMETHING_ELSE } from './support/hostile-files.ts'
import { refusalOf, refusedMessageOf, stage } from './support/read.ts'

describe('the reader of hostile files', () => {
  for (const { title, file, status, says } of [...SOMETHING_ELSE, ...NO_LIST]) {
    it(`refuses ${title}`, async () => {
      const { problem, code } = await refusedMessageOf(file())
      expect(writeEnglish(problem)).to.match(says)
      expect(code).to.equal(status === 413 ? 'too_large' : 'validation_failed')
    })
  }

  // These are read as the import reads them, within its limits.
  for (const { title, file, status, says } of HARMFUL) {
    it(`refuses ${title}`, async () => {
      const refusal = await refusalOf(file())
      expect(refusal.message).to.match(says)
      expect(refusal.status).to.equal(status)
      expect(refusal.errors).to.deep.equal(status === 422 ? { file: [refusal.errors?.file?.[0]] } : undefined)
    })
  }

  it('reads through a million empty rows', async () => {
    const { rows } = await stage(emptyRows())
    expect(rows.map(({ row_number }) => row_number)).to.deep.equal([1_048_576])
  })
})
