// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// cutter makes of a test file a package with one function, Cases, that returns what a table says.
type cutter struct {
	*table
	file *ast.File
	kept map[ast.Decl]bool
}

// cutDown is the text of that package.
func cutDown(of *table, path string) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, 0)
	if err != nil {
		return nil, err
	}
	c := &cutter{of, file, map[ast.Decl]bool{}}
	if err := c.cut(); err != nil {
		return nil, err
	}
	file.Name = ast.NewIdent("cases")
	var text bytes.Buffer
	err = printer.Fprint(&text, set, file)
	return text.Bytes(), err
}

func (c *cutter) cut() error {
	test := c.function(c.test)
	if test == nil {
		return fmt.Errorf("there is no %s", c.test)
	}
	last := slices.IndexFunc(test.Body.List, func(s ast.Stmt) bool { return assigns(s, "cases") })
	if last < 0 {
		return fmt.Errorf("%s has no cases", c.test)
	}
	test.Body.List = test.Body.List[:last+1]
	cases, is := test.Body.List[last].(*ast.AssignStmt).Rhs[0].(*ast.CompositeLit)
	if !is {
		return fmt.Errorf("the cases of %s are no literal", c.test)
	}
	if err := c.cutCases(cases); err != nil {
		return err
	}
	c.answer(test)
	c.keep(test)
	c.file.Decls = slices.DeleteFunc(c.file.Decls, func(d ast.Decl) bool { return !c.kept[d] })
	used := names(c.file.Decls)
	imports := &ast.GenDecl{Tok: token.IMPORT, Lparen: 1}
	for _, one := range c.file.Imports {
		if used[importName(one)] {
			imports.Specs = append(imports.Specs, one)
		}
	}
	c.file.Decls = append([]ast.Decl{imports}, c.file.Decls...)
	return nil
}

func (c *cutter) function(name string) *ast.FuncDecl {
	for _, d := range c.file.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Recv == nil && f.Name.Name == name {
			return f
		}
	}
	return nil
}

func assigns(s ast.Stmt, name string) bool {
	assign, is := s.(*ast.AssignStmt)
	if !is || len(assign.Lhs) != 1 {
		return false
	}
	to, is := assign.Lhs[0].(*ast.Ident)
	return is && to.Name == name
}

// cutCases leaves the cases and their type no other fields than those that are wanted, with names
// that others may read.
func (c *cutter) cutCases(cases *ast.CompositeLit) error {
	of, is := cases.Type.(*ast.MapType)
	if !is {
		return fmt.Errorf("the cases of %s are no map", c.test)
	}
	typed := of.Value
	if name, is := typed.(*ast.Ident); is && name.Obj != nil {
		if spec, is := name.Obj.Decl.(*ast.TypeSpec); is {
			typed = spec.Type
		}
	}
	fields, is := typed.(*ast.StructType)
	if !is {
		return fmt.Errorf("a case of %s is no struct", c.test)
	}
	fields.Fields.List = slices.DeleteFunc(fields.Fields.List, func(f *ast.Field) bool {
		return len(f.Names) != 1 || !c.wants(f.Names[0])
	})
	for _, one := range cases.Elts {
		said, is := one.(*ast.KeyValueExpr).Value.(*ast.CompositeLit)
		if !is {
			return fmt.Errorf("a case of %s is no literal", c.test)
		}
		said.Elts = slices.DeleteFunc(said.Elts, func(e ast.Expr) bool {
			pair, is := e.(*ast.KeyValueExpr)
			return !is || !c.wants(pair.Key.(*ast.Ident))
		})
	}
	return nil
}

func (c *cutter) wants(field *ast.Ident) bool {
	wanted := slices.Contains(c.fields, field.Name)
	field.Name = exported(field.Name)
	return wanted
}

func exported(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// answer makes the test return what it knows, and asks nobody for the time.
func (c *cutter) answer(test *ast.FuncDecl) {
	for _, s := range test.Body.List {
		if assign, is := s.(*ast.AssignStmt); is && assign.Tok == token.DEFINE {
			for _, to := range assign.Lhs {
				test.Body.List = append(test.Body.List, &ast.AssignStmt{Tok: token.ASSIGN,
					Lhs: []ast.Expr{ast.NewIdent("_")}, Rhs: []ast.Expr{ast.NewIdent(to.(*ast.Ident).Name)}})
			}
		}
	}
	anything := ast.NewIdent("any")
	say := &ast.CompositeLit{Type: &ast.MapType{Key: ast.NewIdent("string"), Value: anything}}
	pair := func(name string, value ast.Expr) {
		say.Elts = append(say.Elts,
			&ast.KeyValueExpr{Key: &ast.BasicLit{Value: strconv.Quote(name)}, Value: value})
	}
	pair("Test", &ast.BasicLit{Value: strconv.Quote(c.test)})
	pair("Cases", ast.NewIdent("cases"))
	for _, local := range c.locals {
		pair(exported(local), ast.NewIdent(local))
	}
	test.Name = ast.NewIdent("Cases")
	test.Type = &ast.FuncType{Params: &ast.FieldList{},
		Results: &ast.FieldList{List: []*ast.Field{{Type: anything}}}}
	test.Body.List = append(test.Body.List, &ast.ReturnStmt{Results: []ast.Expr{say}})
	ast.Inspect(test, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is && len(call.Args) == 0 {
			at, is := call.Fun.(*ast.SelectorExpr)
			if is && at.Sel.Name == "Now" && isName(at.X, "time") {
				at.Sel = ast.NewIdent("Unix")
				for _, n := range []int64{began.Unix(), 0} {
					call.Args = append(call.Args, &ast.BasicLit{Value: strconv.FormatInt(n, 10)})
				}
			}
		}
		return true
	})
}

func isName(e ast.Expr, name string) bool {
	at, is := e.(*ast.Ident)
	return is && at.Name == name
}

// keep keeps a declaration, and those that it needs.
func (c *cutter) keep(d ast.Decl) {
	if c.kept[d] {
		return
	}
	c.kept[d] = true
	used := names([]ast.Decl{d})
	for _, other := range c.file.Decls {
		for _, name := range declared(other) {
			if used[name] {
				c.keep(other)
			}
		}
	}
}

// names are all that stand somewhere in these.
func names(in []ast.Decl) map[string]bool {
	found := map[string]bool{}
	for _, d := range in {
		ast.Inspect(d, func(n ast.Node) bool {
			if name, is := n.(*ast.Ident); is {
				found[name.Name] = true
			}
			return true
		})
	}
	return found
}

func declared(d ast.Decl) (found []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				found = append(found, spec.Name.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					found = append(found, name.Name)
				}
			}
		}
	}
	return found
}

func importName(one *ast.ImportSpec) string {
	if one.Name != nil {
		return one.Name.Name
	}
	path, _ := strconv.Unquote(one.Path.Value)
	return path[strings.LastIndex(path, "/")+1:]
}
