import { expect } from 'chai'
import fc from 'fast-check'
import { formatNumber, formatPlainNumber, parseFormat } from '../../../../workers/sheets/formats/cell-text.ts'

describe('the text of a cell that contains a number', () => {
  it('has no exponent, and only the digits that a spreadsheet keeps', () => {
    expect(formatPlainNumber(12)).to.equal('12')
    expect(formatPlainNumber(0.1 + 0.2)).to.equal('0.3')
    expect(formatPlainNumber(1.5e-9)).to.equal('0.0000000015')
    expect(formatPlainNumber(-1.25e25)).to.equal('-12500000000000000000000000')
    expect(formatPlainNumber(-0)).to.equal('0')
  })

  it('can be parsed back to the same number', () => {
    const numbers = fc.double({ min: -1e300, max: 1e300, noNaN: true })
    fc.assert(
      fc.property(numbers, (number) => {
        const text = formatPlainNumber(number)
        expect(text).to.match(/^-?\d+(\.\d+)?$/)
        expect(Number(text)).to.equal(Number(number.toPrecision(15)) + 0)
      }),
    )
  })

  it('can have a fixed number of digits', () => {
    const shown = (value: number, code: string) => formatNumber(value, parseFormat(code))
    expect(shown(42, '00000')).to.equal('00042')
    expect(shown(-4.5, '0.00')).to.equal('-4.50')
    expect(shown(0.125, '0.0%')).to.equal('12.5%')
    expect(shown(1234.5, '#,##0.00 "€"')).to.equal('1234.5')
    expect(shown(5, '[Red]General')).to.equal('5')
  })

  it('is an ISO date if the cell has a date format', () => {
    const shown = (value: number, code: string, is1904 = false) =>
      formatNumber(value, parseFormat(code), is1904)
    expect(shown(46346, 'dd.mm.yyyy')).to.equal('2026-11-20')
    expect(shown(46346.5, '[$-407]d. mmmm yyyy h:mm')).to.equal('2026-11-20T12:00:00')
    expect(shown(44884, 'm/d/yy', true)).to.equal('2026-11-20')
    expect(shown(1, 'yyyy-mm-dd')).to.equal('1900-01-01')
    expect(shown(61, 'yyyy-mm-dd')).to.equal('1900-03-01')
    expect(shown(0.75, 'h:mm AM/PM')).to.equal('18:00:00')
    expect(shown(1.5, '[h]:mm')).to.equal('36:00:00')
    expect(shown(3, '0 "days"')).to.equal('3')
  })
})
