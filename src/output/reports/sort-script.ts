/**
 * Turns the headers of tables into buttons that sort: numbers by value, texts in Korean order. Without scripts, the
 * tables keep the order in which they were written.
 */
export const sortScript = `
'use strict';
const collator = new Intl.Collator('ko', { numeric: true });
const keyOf = (row, index) => row.cells[index].dataset.value ?? row.cells[index].textContent;
const compare = (index, isNumber) => (a, b) =>
  isNumber ? Number(keyOf(a, index)) - Number(keyOf(b, index)) : collator.compare(keyOf(a, index), keyOf(b, index));
for (const table of document.querySelectorAll('table')) {
  const body = table.tBodies[0];
  const headers = [...table.tHead.rows[0].cells];
  if (body.rows.length < 2) continue;
  headers.forEach((header, index) => {
    const isNumber = header.classList.contains('number');
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener('click', () => {
      const before = header.getAttribute('aria-sort');
      const first = isNumber ? 'descending' : 'ascending';
      const order = before === null ? first : before === 'ascending' ? 'descending' : 'ascending';
      for (const other of headers) other.removeAttribute('aria-sort');
      header.setAttribute('aria-sort', order);
      const rows = [...body.rows].sort(compare(index, isNumber));
      body.append(...(order === 'ascending' ? rows : rows.reverse()));
    });
  });
}
// Paper has no summary to open.
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open = true;
});
`;
