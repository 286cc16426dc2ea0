// Tests e-mail addresses as administrators type them.
import { expect } from 'chai'
import { parseTypedEmail, typedEmail } from '../../../../../gateway/web/pages/page/typed-email.ts'
import { object } from '../../../../../shared/schemas/fields.ts'

describe('an e-mail address entered into a form', () => {
  const form = object({ email: typedEmail() })

  for (const [typed, address] of [
    ['anna@example.com', 'anna@example.com'],
    ['anna@example.com; ', 'anna@example.com'],
    ['anna@example.com ,', 'anna@example.com'],
    ['anna@bücher.example', 'anna@bücher.example'],
    ['anna@intranet', undefined],
    ['anna@10.0.0.1', undefined],
    ['anna@example.com; ben@example.com', undefined],
  ] as const) {
    it(`${address === undefined ? 'is refused' : 'is read'}: “${typed}”`, async () => {
      expect(parseTypedEmail(typed)).to.equal(address)
      const read = await form.validate({ email: typed }).catch(() => undefined)
      expect(read?.email).to.equal(address)
    })
  }
})
