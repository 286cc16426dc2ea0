// Tests texts and e-mail addresses in requests: trimming, length, and characters that cannot be stored.
import { expect } from 'chai'
import fc from 'fast-check'
import { email, text } from '../../../shared/schemas/fields.ts'
import { anything, expectAcceptsOnly, isDefined, read } from '../../support/fields.ts'

describe('a text field', () => {
  const name = text({ min: 1, max: 3 })
  const plain = 'field must not contain control characters or invalid Unicode.'

  it('accepts only strings', () => {
    const check = expectAcceptsOnly(text({ max: 1e6 }), () => false, 'field must be a string.')
    fc.assert(
      fc.property(
        anything.filter((value) => isDefined(value) && value !== null && typeof value !== 'string'),
        check,
      ),
    )
    for (const value of [1, true, [], ['a'], {}, new Date()]) check(value)
  })

  it('trims every kind of white space at both ends', () => {
    expect(read(name, ' \t\n\u00a0\u3000\ufeffa b\r\n')).to.deep.equal({ value: 'a b' })
    expect(read(name, ' \u2003 ')).to.deep.equal({ refused: ['field must not be empty.'] })
    expect(read(text({ max: 3 }), '  ')).to.deep.equal({ value: '' })
  })

  it('counts as empty if it has no visible characters', () => {
    for (const invisible of ['\u200b', '\u2060\u00ad', '\u3164', '\u2800 \u115f'])
      expect(read(name, invisible)).to.deep.equal({ refused: ['field must not be empty.'] })
    for (const seen of ['👩\u200d🚀', 'a\u200b', '.', '\u0301'])
      expect(read(name, seen)).to.deep.equal({ value: seen })
    expect(read(text({ max: 3 }), '\u200b')).to.deep.equal({ value: '\u200b' })
  })

  it('has a length limit in code points, which applies after trimming', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'ß', '🚀', '𝒜', '字', '👩'), { maxLength: 8 }), (points) => {
        const written = points.join('')
        const expected =
          points.length > 3 ? { refused: ['field must be at most 3 characters long.'] } : { value: written }
        expect(read(text({ max: 3 }), written)).to.deep.equal(expected)
        expect(read(text({ max: 3 }), `  ${written}  `)).to.deep.equal(expected)
      }),
    )
  })

  it('refuses lone surrogates, and control characters except tabs and line ends', () => {
    for (let point = 0; point <= 0xffff; point++) {
      const allowed = [9, 10, 13].includes(point)
      const isControl = (point < 0x20 || (point >= 0x7f && point < 0xa0)) && !allowed
      const isSurrogate = point >= 0xd800 && point <= 0xdfff
      if (!isControl && !isSurrogate && point > 0x100 && point % 97 > 0) continue
      const value = `a${String.fromCharCode(point)}b`
      const expected = isControl || isSurrogate ? { refused: [plain] } : { value }
      expect(read(text({ max: 9 }), value), point.toString(16)).to.deep.equal(expected)
    }
    expect(read(text({ max: 9 }), '\u{1f680}')).to.deep.equal({ value: '🚀' })
  })
})

describe('an e-mail address', () => {
  it('is accepted in any usual form', () => {
    for (const address of [
      'a@b',
      'Ada.Lovelace+desk@example.com',
      "o'neil/x%@sub.example.co.uk",
      'jürgen@müller.de',
      '用户@例子.广告',
      'a_b-c@1.2.example',
      `${'x'.repeat(64)}@${'y'.repeat(190)}`,
      'a.b+c@d-e.f--g.example',
    ]) {
      expect(read(email(), ` ${address} `), address).to.deep.equal({ value: address })
    }
  })

  it('is refused if it is malformed', () => {
    for (const address of [
      'a',
      '@b',
      'a@',
      'a@b@c',
      'a b@c.de',
      'a@b c',
      'a@.de',
      'a@b.',
      'a@-b',
      'a@b_',
      'x@x..example',
      'x@example.',
      'x@a.-b.example',
      '.x@example.com',
      'x.@example.com',
      'x..y@example.com',
      `${'x'.repeat(65)}@example.com`,
      '<a@b.de>',
      'a@b.de, c@d.de',
      'a;b@c.de',
      'a@[1.2.3.4]',
      '"a b"@c.de',
      'mailto:a@b.de',
      'a\\@b.de',
      'a\n@b.de',
    ]) {
      expect(read(email(), address), address).to.deep.equal({
        refused: ['field must be a valid e-mail address.'],
      })
    }
    expect(read(email(), '')).to.deep.equal({
      refused: ['field must not be empty.', 'field must be a valid e-mail address.'],
    })
    expect(read(email(), `x@${'y'.repeat(254)}`)).to.deep.equal({
      refused: ['field must be at most 255 characters long.'],
    })
  })

  it('is checked quickly, regardless of what clients send', () => {
    const started = process.cpuUsage()
    for (const address of [
      `${'a'.repeat(100_000)}`,
      `a@${'a-'.repeat(50_000)}`,
      `a@${'.'.repeat(100_000)}b`,
      `${'a.'.repeat(50_000)}@b`,
      `a@${'a.'.repeat(50_000)}-`,
      '@'.repeat(100_000),
    ]) {
      expect(read(email(), address)).to.have.property('refused')
    }
    expect(process.cpuUsage(started).user / 1_000).to.be.lessThan(1_000)
  })
})
