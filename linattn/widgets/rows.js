// @ts-check
// Matrices as text for an address.

/** @param {number[][]} rows */
export const writeRows = (rows) => rows.map((row) => row.join("_")).join("*");

/** The opposite; throws where the text is no matrix of the same shape as `like`. @param {string} text @param {number[][]} like */
export function readRows(text, like) {
  const rows = text.split("*").map((row) => row.split("_").map(Number));
  if (rows.length !== like.length || rows.some((row) => row.length !== like[0].length || !row.every(Number.isFinite))) throw new Error("not such a matrix");
  return rows;
}

/** A whole number among the parameters of an address, or an error. @param {URLSearchParams} parameters @param {string} key @param {number} least @param {number} most */
export function whole(parameters, key, least, most) {
  const x = Number(parameters.get(key) ?? NaN);
  if (!Number.isInteger(x) || x < least || x > most) throw new Error(key);
  return x;
}

/** Whether two values of a trait are the same. @param {any} a @param {any} b */
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
